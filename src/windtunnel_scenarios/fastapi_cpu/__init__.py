"""An endpoint that computes, behind ``async def`` and behind ``def``."""

from dataclasses import dataclass

from windtunnel_scenarios.model import LoadName, Outcome, Scenario, Variant


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """How many requests over how many connections, each for the sum of the numbers below ``bound``."""

    name: LoadName
    bound: int
    count: int
    connections: int
    keep: bool = True
    """Whether a connection outlives its request."""
    fresh: bool = False
    """Whether each run begins with new connections."""
    rate: float = 0.0
    """How many requests are due in a second; 0 is one after the other on each connection."""
    probed: bool = False
    """Whether what is recorded is the latency of an idle endpoint beside these requests."""

    @property
    def outcome(self) -> Outcome:
        """The body of each answer."""
        return (str(self.bound * (self.bound - 1) // 2),) * self.count


FASTAPI_CPU = Scenario(
    name="fastapi_cpu",
    unwarmed=(LoadName.ARTICLE,),
    variants=(
        Variant(name="async_def", needs=("fastapi", "uvicorn")),
        Variant(name="plain_def", needs=("fastapi", "uvicorn")),
        Variant(name="async_def_uvloop", needs=("fastapi", "uvicorn", "uvloop")),
        Variant(name="plain_def_uvloop", needs=("fastapi", "uvicorn", "uvloop")),
    ),
    loads=(
        Endpoint(name=LoadName.TRIAL, bound=1_000, count=20, connections=10),
        Endpoint(name=LoadName.QUICK, bound=200_000, count=100, connections=10),
        Endpoint(name=LoadName.STANDARD, bound=1_000_000, count=100, connections=10),
        Endpoint(name=LoadName.ARTICLE, bound=10_000_000, count=100, connections=10),
    ),
)

FASTAPI_FRESH = Scenario(
    name="fastapi_fresh",
    folder="fastapi_cpu",
    unwarmed=(LoadName.ARTICLE,),
    variants=(
        Variant(name="async_def", needs=("fastapi", "uvicorn")),
        Variant(name="plain_def", needs=("fastapi", "uvicorn")),
        Variant(name="async_def_uvloop", needs=("fastapi", "uvicorn", "uvloop")),
        Variant(name="plain_def_uvloop", needs=("fastapi", "uvicorn", "uvloop")),
    ),
    loads=(
        Endpoint(name=LoadName.TRIAL, bound=1_000, count=20, connections=10, fresh=True),
        Endpoint(name=LoadName.QUICK, bound=200_000, count=100, connections=10, fresh=True),
        Endpoint(name=LoadName.STANDARD, bound=1_000_000, count=100, connections=10, fresh=True),
        Endpoint(name=LoadName.ARTICLE, bound=10_000_000, count=100, connections=10, fresh=True),
    ),
)

FASTAPI_SEQUENTIAL = Scenario(
    name="fastapi_sequential",
    folder="fastapi_cpu",
    unwarmed=(LoadName.ARTICLE,),
    variants=(
        Variant(name="async_def", needs=("fastapi", "uvicorn")),
        Variant(name="plain_def", needs=("fastapi", "uvicorn")),
    ),
    loads=(
        Endpoint(name=LoadName.TRIAL, bound=1_000, count=3, connections=1, keep=False),
        Endpoint(name=LoadName.QUICK, bound=500_000, count=20, connections=1, keep=False),
        Endpoint(name=LoadName.STANDARD, bound=1_000_000, count=50, connections=1, keep=False),
        Endpoint(name=LoadName.ARTICLE, bound=10_000_000, count=100, connections=1, keep=False),
    ),
)

FASTAPI_IDLE = Scenario(
    name="fastapi_idle",
    folder="fastapi_cpu",
    variants=(
        Variant(name="async_def", needs=("fastapi", "uvicorn")),
        Variant(name="plain_def", needs=("fastapi", "uvicorn")),
    ),
    loads=(
        Endpoint(name=LoadName.TRIAL, bound=0, count=3, connections=1),
        Endpoint(name=LoadName.QUICK, bound=0, count=200, connections=1),
        Endpoint(name=LoadName.STANDARD, bound=0, count=1000, connections=1),
        Endpoint(name=LoadName.ARTICLE, bound=0, count=1000, connections=1),
    ),
)

FASTAPI_PROBED = Scenario(
    name="fastapi_probed",
    folder="fastapi_cpu",
    unwarmed=(LoadName.ARTICLE,),
    variants=(
        Variant(name="async_def", needs=("fastapi", "uvicorn")),
        Variant(name="plain_def", needs=("fastapi", "uvicorn")),
        Variant(name="async_def_uvloop", needs=("fastapi", "uvicorn", "uvloop")),
        Variant(name="plain_def_uvloop", needs=("fastapi", "uvicorn", "uvloop")),
    ),
    loads=(
        Endpoint(name=LoadName.TRIAL, bound=1_000, count=20, connections=10, probed=True),
        Endpoint(name=LoadName.QUICK, bound=200_000, count=100, connections=10, probed=True),
        Endpoint(name=LoadName.STANDARD, bound=1_000_000, count=100, connections=10, probed=True),
        Endpoint(name=LoadName.ARTICLE, bound=10_000_000, count=100, connections=10, probed=True),
    ),
)

FASTAPI_OPEN = Scenario(
    name="fastapi_open",
    folder="fastapi_cpu",
    unwarmed=(LoadName.ARTICLE,),
    variants=(
        Variant(name="async_def", needs=("fastapi", "uvicorn")),
        Variant(name="plain_def", needs=("fastapi", "uvicorn")),
        Variant(name="async_def_uvloop", needs=("fastapi", "uvicorn", "uvloop")),
        Variant(name="plain_def_uvloop", needs=("fastapi", "uvicorn", "uvloop")),
    ),
    loads=(
        Endpoint(name=LoadName.TRIAL, bound=1_000, count=20, connections=10, rate=1_000.0),
        Endpoint(name=LoadName.QUICK, bound=200_000, count=60, connections=10, rate=60.0),
        Endpoint(name=LoadName.STANDARD, bound=200_000, count=300, connections=10, rate=60.0),
        Endpoint(name=LoadName.ARTICLE, bound=1_000_000, count=300, connections=10, rate=15.0),
    ),
)
