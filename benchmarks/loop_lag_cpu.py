"""How late the loop's other tasks run while something adds up."""

from benchmarks._suite import _Prepared


class LoopLagCpu(_Prepared):
    """Variants of ``loop_lag_cpu``: the longest lag of each run."""

    scenario = "loop_lag_cpu"
    params = (
        ("on_the_loop", "yielding", "to_thread", "processes_spawn", "interpreters"),
        ("quick", "standard", "article"),
    )
    version = "1"
    rounds = 2
    most_samples = 3

    def time_lag(self, variant: str, load: str) -> tuple[float, ...]:  # noqa: ARG002 - asv passes the parameters
        """The longest lag while all sums are made once."""
        self._run()
        return self._run.recorded  # type: ignore[no-any-return]  # a Recording of the installed commit
