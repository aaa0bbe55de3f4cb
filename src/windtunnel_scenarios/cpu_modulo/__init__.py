"""Fifteen jobs of remainders taken at random: arithmetic and calls into C, without waiting."""

from dataclasses import dataclass

from windtunnel_scenarios.model import LoadName, Outcome, Scenario, Variant

JOBS = tuple(range(1, 16))
"""The divisors, one a job; each seeds its job's generator, whose numbers are the same in every Python."""

WORKERS = 16
"""Of every pool, as published: the author's machine ran 16 threads on 8 cores."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remainders:
    """How many iterations a job takes, and what all jobs together yield."""

    name: LoadName
    iterations: int
    total: int

    @property
    def outcome(self) -> Outcome:
        """The sum over all jobs."""
        return (self.total,)


CPU_MODULO = Scenario(
    name="cpu_modulo",
    unwarmed=(LoadName.ARTICLE,),
    variants=(
        Variant(name="sync"),
        Variant(name="gather"),
        Variant(name="create_task"),
        Variant(name="threads"),
        Variant(name="processes_fork"),
        Variant(name="processes_forkserver"),
        Variant(name="processes_spawn"),
        Variant(name="interpreters", needs=("concurrent.futures.interpreter",)),
    ),
    loads=(
        Remainders(name=LoadName.TRIAL, iterations=1_000, total=51_870),
        Remainders(name=LoadName.QUICK, iterations=100_000, total=5_197_325),
        Remainders(name=LoadName.STANDARD, iterations=1_000_000, total=51_975_852),
        Remainders(name=LoadName.ARTICLE, iterations=10_000_000, total=519_743_308),
    ),
)

CPU_MODULO_THREADS = Scenario(
    name="cpu_modulo_threads",
    folder="cpu_modulo",
    unwarmed=(LoadName.ARTICLE,),
    variants=(
        Variant(name="threads_1"),
        Variant(name="threads_2"),
        Variant(name="threads_4"),
        Variant(name="threads"),
        Variant(name="threads_switch_100us"),
        Variant(name="threads_switch_100ms"),
        Variant(name="threads_one_cpu"),
    ),
    loads=(
        Remainders(name=LoadName.TRIAL, iterations=1_000, total=51_870),
        Remainders(name=LoadName.QUICK, iterations=20_000, total=1_039_196),
        Remainders(name=LoadName.STANDARD, iterations=1_000_000, total=51_975_852),
        Remainders(name=LoadName.ARTICLE, iterations=10_000_000, total=519_743_308),
    ),
)
