"""Decides whether two load generators measure the same latencies, and what they measure; renders it as Markdown.

The round is the unit of observation: its requests wait for each other. Rounds of the two generators, and of the two
endpoints, are paired: they were measured within the same seconds, in random order.
"""

from dataclasses import dataclass
from itertools import pairwise, product
from statistics import fmean, median

import numpy as np
import scipy

from windtunnel.stats.intervals import proportion
from windtunnel.stats.paired_differences import estimate, holm_levels, interval

BOUNDARIES = (3, 4, 5)
"""A round starves if its slowest latency is more than so many times its median; the one in the middle counts.

With C connections, a loop that accepts one in each pass serves 1, 2, … C requests a pass. The last connection waits for
C (C + 1) / 2 services and the median for C or fewer: 5.5 times as long or more, with ten. A loop that accepts all at
once lets none wait for more than two passes: twice as long. Four is the middle between 2 and 7 on a logarithmic scale.
"""

BINS = (0, 2, 3, 4, 5, 6, 7, 8)
"""The beginnings of the bins of slowest / median; the last is open."""

ALPHA = 0.05
PERMUTATIONS = 4000
GRID = 401
"""The number of latencies at which two distribution functions are compared."""

GENERATORS = ("hey", "ours")
ENDPOINTS = ("async_def", "plain_def")


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """The requests that a generator made in a round."""

    latencies: list
    """The latency of each, in seconds."""
    seconds: float
    """How long all of them took."""

    def quantile(self, percent):
        """Returns the percentile as hey defines it: of a hundred, the 99th is the slowest."""
        return sorted(self.latencies)[percent * len(self.latencies) // 100]

    @property
    def spread(self):
        """The slowest latency divided by the median."""
        return max(self.latencies) / median(self.latencies)


STATISTICS = {
    "p50": lambda one: one.quantile(50),
    "p90": lambda one: one.quantile(90),
    "p95": lambda one: one.quantile(95),
    "slowest": lambda one: max(one.latencies),
    "mean": lambda one: fmean(one.latencies),
    "total": lambda one: one.seconds,
    "slowest / p50": lambda one: one.spread,
}


def render(rounds):
    """Returns the tables of the rounds, a list for each (generator, loop, endpoint)."""
    loops = sorted({loop for _, loop, _ in rounds})
    parts = [verdict(rounds, loops)]
    parts += ["### Medians of the rounds", levels(rounds, loops)]
    parts += ["### async def divided by def", ratios(rounds, loops)]
    parts += ["### Rounds by slowest / median", kinds(rounds, loops)]
    parts += ["### Ours divided by hey", agreement(rounds, loops)]
    return "\n\n".join(parts)


def levels(rounds, loops):
    """Returns the median over the rounds of each statistic, in milliseconds."""
    lines = table_head("loop", "endpoint", "generator", *STATISTICS)
    for loop, endpoint, generator in product(loops, ENDPOINTS, GENERATORS):
        found = rounds[generator, loop, endpoint]
        values = [median(map(statistic, found)) for statistic in STATISTICS.values()]
        cells = [f"{value * 1000:,.0f} ms" for value in values[:-1]]
        lines.append(row(loop, f"`{endpoint}`", generator, *cells, f"{values[-1]:.1f}"))
    return "\n".join(lines)


def ratios(rounds, loops):
    """Returns the ratio of the endpoints: the geometric mean over the rounds, with its interval."""
    lines = table_head("loop", "generator", *STATISTICS)
    for loop, generator in product(loops, GENERATORS):
        pair = [rounds[generator, loop, endpoint] for endpoint in ENDPOINTS]
        lines.append(row(loop, generator, *(shown(paired(*pair, each)) for each in STATISTICS.values())))
    return "\n".join(lines)


def kinds(rounds, loops):
    """Returns how many rounds there are in each bin of slowest / median, and the shares that starve."""
    ends = [*(f"{low} to {high}" for low, high in pairwise(BINS)), f"above {BINS[-1]}"]
    lines = table_head("loop", "endpoint", "generator", *ends, *(f"above {each}" for each in BOUNDARIES))
    for loop, endpoint, generator in product(loops, ENDPOINTS, GENERATORS):
        spreads = [each.spread for each in rounds[generator, loop, endpoint]]
        counts, _ = np.histogram(spreads, [*BINS, np.inf])
        shares = [share(sum(spread > boundary for spread in spreads), len(spreads)) for boundary in BOUNDARIES]
        lines.append(row(loop, f"`{endpoint}`", generator, *map(str, counts), *shares))
    return "\n".join(lines)


def agreement(rounds, loops):
    """Returns the ratio of the generators for each statistic, and the distance of all latencies with its p-value."""
    lines = table_head("loop", "endpoint", *STATISTICS, "all latencies: distance, p", "starving rounds: p")
    for loop, endpoint in product(loops, ENDPOINTS):
        ours, hey = (rounds[generator, loop, endpoint] for generator in ("ours", "hey"))
        cells = [shown(paired(ours, hey, statistic)) for statistic in STATISTICS.values()]
        distance, p = distribution_distance(ours, hey)
        lines.append(
            row(loop, f"`{endpoint}`", *cells, f"{distance:.3f}, {p:.2g}", f"{starving_p(ours, hey):.2g}"),
        )
    return "\n".join(lines)


def verdict(rounds, loops):
    """Returns whether the generators agree, tested on each statistic of each case, with one error rate for all."""
    tests = {}
    for loop, endpoint in product(loops, ENDPOINTS):
        ours, hey = (rounds[generator, loop, endpoint] for generator in ("ours", "hey"))
        case = f"`{endpoint}` on {loop}"
        for name, statistic in STATISTICS.items():
            tests[f"{name} of {case}"] = scipy.stats.ks_2samp([*map(statistic, ours)], [*map(statistic, hey)]).pvalue
        tests[f"all latencies of {case}"] = distribution_distance(ours, hey)[1]
        tests[f"starving rounds of {case}"] = starving_p(ours, hey)
    p = np.array(list(tests.values()))
    differing = [name for name, one, level in zip(tests, p, holm_levels(p, ALPHA), strict=True) if one <= level]
    how = (
        f"{len(tests)} tests at {ALPHA:.0%} for all together (Holm): of each statistic's distribution over the rounds "
        "(Kolmogorov-Smirnov), of all latencies (permutation of rounds), of the shares of starving rounds (Fisher)."
    )
    smallest = min(tests, key=tests.get)
    if differing:
        return f"**The generators differ** in {'; '.join(differing)}. {how}"
    return (
        f"**No difference between the generators was found.** {how} The smallest p is {min(p):.2g}: {smallest}. "
        f"{taken_alone(rounds, loops)}"
    )


def taken_alone(rounds, loops):
    """Returns what such a verdict hides: cases that differ if no other is looked at, and the rounds that starve."""
    apart, starving = [], []
    for loop, endpoint in product(loops, ENDPOINTS):
        ours, hey = (rounds[generator, loop, endpoint] for generator in ("ours", "hey"))
        case = f"`{endpoint}` on {loop}"
        _, low, high = paired(ours, hey, STATISTICS["slowest / p50"])
        if not low <= 1 <= high:
            apart.append(case)
        starved = [sum(each.spread > BOUNDARIES[1] for each in found) for found in (ours, hey)]
        if any(starved):
            starving.append(f"{starved[0]} of {len(ours)} with ours and {starved[1]} of {len(hey)} with hey for {case}")
    return " ".join(
        [
            f"{len(ours)} rounds would not show a small difference.",
            f"Taken alone, slowest / p50 differs for {'; '.join(apart)}." if apart else "",
            f"Rounds that starve: {'; '.join(starving)}." if starving else "",
        ]
    ).strip()


def paired(above, below, statistic):
    """Returns the geometric mean of the ratios of paired rounds, with a 95 % interval."""
    logs = np.log([statistic(one) / statistic(other) for one, other in zip(above, below, strict=True)])
    found = estimate(logs[np.newaxis, :])
    low, high = interval(found, np.array([ALPHA]))
    return tuple(np.exp([found.mean[0], low[0], high[0]]))


def distribution_distance(ours, hey, seed=1):
    """Returns the largest distance between the distribution functions of all latencies, and its p-value.

    The p-value is that of a permutation test that exchanges the two rounds of a pair (Good, P. (2005), Permutation,
    Parametric and Bootstrap Tests of Hypotheses, doi:10.1007/b138696).
    """
    latencies = [latency for each in (*ours, *hey) for latency in each.latencies]
    grid = np.quantile(latencies, np.linspace(0, 1, GRID))
    difference = np.array([_function(one, grid) - _function(other, grid) for one, other in zip(ours, hey, strict=True)])
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], size=(PERMUTATIONS, len(difference)))
    observed = np.abs(difference.mean(axis=0)).max()
    permuted = np.abs(signs @ difference / len(difference)).max(axis=1)
    return observed, (1 + np.sum(permuted >= observed - 1e-12)) / (1 + PERMUTATIONS)


def _function(one, grid):
    return np.searchsorted(np.sort(one.latencies), grid, side="right") / len(one.latencies)


def starving_p(ours, hey):
    """Returns the p-value of Fisher's test that both generators see the same share of starving rounds."""
    counts = [sum(each.spread > BOUNDARIES[1] for each in found) for found in (ours, hey)]
    return scipy.stats.fisher_exact([counts, [len(ours) - counts[0], len(hey) - counts[1]]]).pvalue


def share(hits, trials):
    """Returns a share with its exact 95 % interval."""
    found = proportion(hits, trials)
    return f"{hits / trials:.0%} ({found.low:.0%} – {found.high:.0%})"


def shown(ratio):
    """Returns a ratio with its interval."""
    middle, low, high = ratio
    return f"{middle:.2f} ({low:.2f} – {high:.2f})"


def table_head(*titles):
    """Returns the first two lines of a table."""
    return [row(*titles), "|---" * len(titles) + "|"]


def row(*cells):
    """Returns a line of a table."""
    return f"| {' | '.join(cells)} |"
