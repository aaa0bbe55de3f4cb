"""How late the loop's other tasks run while files are written."""

from benchmarks._suite import _Prepared


class LoopLag(_Prepared):
    """Variants of ``loop_lag``: the longest lag of each run."""

    scenario = "loop_lag"
    params = (
        ("plain", "aiofiles_gather", "to_thread"),
        ("quick", "standard", "article"),
    )
    version = "1"
    rounds = 2
    most_samples = 3

    def time_lag(self, variant: str, load: str) -> tuple[float, ...]:  # noqa: ARG002 - asv passes the parameters
        """The longest lag while the files are written once."""
        self._run()
        return self._run.recorded  # type: ignore[no-any-return]  # a Recording of the installed commit
