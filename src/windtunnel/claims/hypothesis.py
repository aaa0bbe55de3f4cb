"""The band of a test, from the words that a claims file has for it."""

from windtunnel.claims.claim import Band
from windtunnel.claims.table import Table

KEYS = ("ratio", "tolerance", "between", "below", "above", "above-per-core", "most-cores")
"""All words for bands."""

ADVICE = (
    "write one of: ratio and tolerance (0.333 and 0.03: 3 % to both sides), between = [0.8, 1.25], "
    "below and above, one or both, or above-per-core"
)


def stated(table: Table) -> bool:
    """Tell whether *table* says anything of a band."""
    return any(key in table.data for key in KEYS)


def band(table: Table) -> Band:
    """Return the band that *table* states in exactly one way; raises ConfigurationError."""
    forms = [{"ratio", "tolerance"}, {"between"}, {"below", "above"}, {"above-per-core", "most-cores"}]
    used = [form for form in forms if form & {*table.data}]
    if len(used) != 1:
        what = "no band" if not used else f"{len(used)} bands"
        raise table.wrong(min(used[1]) if used else "ratio", f"a test with {what} cannot be decided: {ADVICE}")
    match min(used[0]):
        case "ratio":
            return _around(table)
        case "between":
            return _between(table)
        case "above":
            return _beyond(table)
        case _:
            return _per_core(table)


def _around(table: Table) -> Band:
    ratio, tolerance = table.number("ratio"), table.number("tolerance")
    if ratio is None:
        raise table.wrong("ratio", "a tolerance needs the ratio that it is about")
    if tolerance is None or tolerance >= 1:
        raise table.wrong("tolerance", "write a share between 0 and 1, 0.05 for 5 % to both sides")
    return Band(low=ratio * (1 - tolerance), high=ratio * (1 + tolerance))


def _between(table: Table) -> Band:
    ends = table.data["between"]
    if not isinstance(ends, list) or len(ends) != 2:
        raise table.wrong("between", "write two numbers, [0.8, 1.25]")
    pair = Table(data=dict(zip(("low", "high"), ends, strict=True)), where=f"{table.where}, between")
    low, high = pair.number("low"), pair.number("high")
    if low is None or high is None or low >= high:
        raise table.wrong("between", "write the smaller number first, [0.8, 1.25]")
    return Band(low=low, high=high)


def _beyond(table: Table) -> Band:
    low, high = table.number("above"), table.number("below")
    if low is not None and high is not None and low >= high:
        raise table.wrong("above", f"nothing lies above it and below {high:g}; write a smaller number")
    return Band(low=low, high=high)


def _per_core(table: Table) -> Band:
    low = table.number("above-per-core")
    if low is None:
        raise table.wrong("above-per-core", "most-cores needs the share of the cores that it is about")
    most = table.count("most-cores", 1) if "most-cores" in table.data else None
    return Band(low=low, per_core=True, most_cores=most)
