"""Whose turn it is."""

from benchmarks._suite import _Prepared


class Order(_Prepared):
    """Variants of ``order``: how often one coroutine took a step after another did."""

    scenario = "order"
    params = (
        ("without_await", "sleep_0"),
        ("quick", "standard", "article"),
    )
    version = "1"
    rounds = 2
    most_samples = 3
    unit = "switches"

    def count_switches(self, variant: str, load: str) -> tuple[float, ...]:  # noqa: ARG002 - asv passes the parameters
        """Of one gathering."""
        self._run()
        return self._run.recorded  # type: ignore[no-any-return]  # a Recording of the installed commit
