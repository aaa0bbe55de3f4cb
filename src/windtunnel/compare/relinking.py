"""Build both commits again with their functions elsewhere in memory, and measure cases with the same work again.

The same machine code runs at another speed where its functions lie elsewhere (Mytkowicz, T., Diwan, A., Hauswirth, M.
and Sweeney, P. F. (2009), Producing wrong data without doing anything obviously wrong, doi:10.1145/1508284.1508275). If
the difference between base and head is another one in other layouts, it is one of layout.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace

from windtunnel.compare.decide import decide
from windtunnel.compare.environment_pair import EnvironmentPair, Identity, build_pair
from windtunnel.compare.format import Comparison, ReportContext, Verdict
from windtunnel.compare.request import CompareRequest, ComparisonSetup
from windtunnel.compare.samples_format import Rules
from windtunnel.compare.schedule import schedule_round
from windtunnel.compare.work_format import LayoutChange, WorkChange
from windtunnel.errors import DataError
from windtunnel.model.schedule import COMPARISON, ComparedCommit, Stage

ROUNDS = 12
"""Rounds of each case in each layout."""

MAX_RELINKED = 10
"""Cases that are measured in other layouts, the largest changes first."""

CHANGES_NOTHING = "compiler and linker flags change nothing that is built; it has no compiled code, or its own flags"
NOT_IN_TIME = "the time limit was reached"


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """A way to place functions."""

    name: str
    compiler: str
    """What is added to CFLAGS and CXXFLAGS."""
    linker: str = ""
    """What is added to LDFLAGS."""

    def variables(self, env: Mapping[str, str]) -> dict[str, str]:
        """Return the environment variables with which a project is built so."""
        added = {"CFLAGS": self.compiler, "CXXFLAGS": self.compiler, "LDFLAGS": self.linker}
        return {**env, **{name: f"{env.get(name, '')} {flags}".strip() for name, flags in added.items() if flags}}


LAYOUTS = (
    Layout(name="sorted by alignment", compiler="-ffunction-sections", linker="-Wl,--sort-section=alignment"),
    Layout(name="at multiples of 64 bytes", compiler="-falign-functions=64"),
    Layout(name="sorted by name", compiler="-ffunction-sections", linker="-Wl,--sort-section=name"),
    Layout(name="at multiples of 32 bytes", compiler="-falign-functions=32"),
)


def choose_relinked(comparisons: Sequence[Comparison]) -> tuple[Comparison, ...]:
    """Return the confirmed changes of cases with the same work, the largest first."""
    found = [
        one
        for one in comparisons
        if one.confirmed
        and one.verdict in (Verdict.REGRESSED, Verdict.IMPROVED)
        and one.instructions
        and one.instructions.work is WorkChange.SAME
    ]
    return tuple(sorted(found, key=lambda one: -abs(one.relative_change or 0.0)))[:MAX_RELINKED]


@dataclass(slots=True, kw_only=True)
class Relinking:
    """What was measured in other layouts."""

    setup: ComparisonSetup
    request: CompareRequest
    found: dict[Identity, tuple[LayoutChange, ...]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def measure(
        self, chosen: Sequence[Comparison], pairs: Sequence[EnvironmentPair], layouts: int, deadline: float
    ) -> None:
        """Measure *chosen* in so many other *layouts* than that of *pairs*, until the clock reaches *deadline*."""
        for pair in pairs:
            names = frozenset(one.identity for one in chosen if one.environment == pair.name)
            for layout in LAYOUTS[:layouts] if names else ():
                if self.setup.clock() >= deadline:
                    self.notes.append(f"Not every layout was measured: {NOT_IN_TIME}.")
                    return
                try:
                    changes = list(self._changes(layout, pair, names))
                except DataError as error:
                    self.notes.append(f"Functions {layout.name} were not measured: {error}")
                    continue
                if not changes:
                    self.notes.append(f"{pair.name} has one layout: {CHANGES_NOTHING}.")
                    break
                for name, change in changes:
                    self.found[name] = (*self.found.get(name, ()), change)

    def _changes(
        self, layout: Layout, usual: EnvironmentPair, names: frozenset[Identity]
    ) -> Iterator[tuple[Identity, LayoutChange]]:
        """Yield the change of each case; nothing if both commits are built as in the *usual* layout."""
        supervisor = replace(self.setup.supervisor, env=layout.variables(self.setup.supervisor.env))
        folder = self.setup.folder / f"layout-{LAYOUTS.index(layout) + 1}"
        setup = replace(self.setup, supervisor=supervisor, folder=folder, builds=None)
        with ExitStack() as stack:
            pair = build_pair(stack, self.request, setup, usual.name)
            if all(pair.ready[commit].artifact == usual.ready[commit].artifact for commit in ComparedCommit):
                return
            cases = [one for one in pair.comparable.cases if one.samples.identity in names]
            rng = random.Random(self.request.seed)  # noqa: S311 - an order, not a secret
            for _ in range(ROUNDS):
                pair.run(schedule_round([(one, Stage.SCREENING, COMPARISON) for one in cases], rng), setup.listen)
            samples = [pair.collection.samples(one, COMPARISON) for one in cases]
        context = ReportContext(base=self.request.base, head=self.request.head, rules=Rules().until(ROUNDS))
        for one in decide(context, [each for each in samples if each.stage_samples]).comparisons:
            yield (
                one.identity,
                LayoutChange(layout=layout.name, relative_change=one.relative_change, interval=one.interval),
            )
