"""The verdict in a line, for every form of the report."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from windtunnel.compare import report_text
from windtunnel.compare.format import Comparison, Judgement, Overall, Verdict
from windtunnel.text.escaping import visible


@dataclass(frozen=True, slots=True, kw_only=True)
class Headline:
    """The verdict in a line: words of ours around the name of the case that moved most, if any did."""

    lead: str
    name: str = ""
    trail: str = ""

    def __str__(self) -> str:
        """Return it as plain text, the name made visible but not escaped."""
        return self.lead + visible(self.name) + self.trail


def headline(judgement: Judgement) -> Headline:
    """Return the verdict in a line."""
    news, broken = _news(judgement), judgement.broken
    if not broken:
        return news
    if judgement.overall in {Overall.REGRESSED, Overall.IMPROVED}:
        return replace(news, trail=f"{news.trail}; {len(broken)} failed")
    rest = news.lead[:1].lower() + news.lead[1:]
    return Headline(lead=f"{len(broken)} failed: ", name=report_text.name(broken[0]), trail=f"; {rest}")


def _news(judgement: Judgement) -> Headline:
    worse, better = (
        report_text.by_size(judgement.having(Verdict.REGRESSED)),
        report_text.by_size(judgement.having(Verdict.IMPROVED)),
    )
    undecided, total = judgement.having(Verdict.INCONCLUSIVE), len(judgement.comparisons)
    match judgement.overall:
        case Overall.REGRESSED:
            also = f"; {len(better)} became {_together(better)}" if better else ""
            lead = f"{len(worse)} of {total} became {_together(worse)}, worst {report_text.changed(worse[0])}: "
            return Headline(lead=lead, name=report_text.name(worse[0]), trail=also)
        case Overall.IMPROVED:
            lead = f"{len(better)} of {total} became {_together(better)}, best {report_text.changed(better[0])}: "
            return Headline(lead=lead, name=report_text.name(better[0]))
        case Overall.UNCHANGED:
            return Headline(lead=_no_change(judgement))
        case Overall.INCONCLUSIVE:
            still = total - len(undecided)
            return Headline(
                lead=f"Undecided: {len(undecided)} of {total} are too noisy to tell; {still} did not change"
            )
        case Overall.SAME_ARTIFACT:
            return Headline(lead="Both commits build the same artifact, so nothing was measured")
        case Overall.NOTHING_MEASURED:
            return Headline(lead="Nothing was measured")


def _no_change(judgement: Judgement) -> str:
    still, undecided = judgement.having(Verdict.UNCHANGED), judgement.having(Verdict.INCONCLUSIVE)
    small, size = sum(one.significant for one in still), report_text.seen(judgement)
    parts = [f"No change that matters in {len(still)} of {len(judgement.comparisons)}"]
    parts += [f"{size} or more would have been seen in most"] if size else []
    parts += [f"{small} changed by less than their threshold"] if small else []
    parts += [f"{len(undecided)} undecided"] if undecided else []
    return "; ".join(parts)


def _together(comparisons: Sequence[Comparison]) -> str:
    words = {report_text.word(one) for one in comparisons}
    return words.pop() if len(words) == 1 else " or ".join(sorted(words))
