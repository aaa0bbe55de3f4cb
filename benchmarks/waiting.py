"""Memory of many units that wait."""

from benchmarks._suite import _Prepared


class Waiting(_Prepared):
    """Variants of ``waiting``: by how much the processes grow for all units."""

    scenario = "waiting"
    params = (
        ("threads", "greenlets", "tasks", "tasks_five_deep"),
        ("quick", "standard", "article"),
    )
    version = "1"
    rounds = 2
    most_samples = 1
    unit = "bytes"

    def peak_growth(self, variant: str, load: str) -> tuple[float, ...]:  # noqa: ARG002 - asv passes the parameters
        """Bytes over what was there before the first unit."""
        self._run()
        return self._run.growth  # type: ignore[no-any-return]  # of the installed commit
