"""Lists the measured cases in which asyncio is worse than the other way, from a board.

    make study ARGS="studies.worse"

It writes docs/measurements/worse.md.
"""

import re

from studies.board import DOCS, cell, listed, read_board, variant
from studies.page import put

PAGE, STUDY = DOCS / "measurements" / "worse.md", "worse"
MARGIN = 1.1
"""A way is worse if the whole interval of its ratio to the other one lies beyond."""
ASYNCIO = re.compile(
    r"aio|anyio|async|client_asyncio|create_task|gather|psycopg_async|httpx_async|task|to_thread|websockets_asyncio|fastapi_asyncpg"
)
"""How the variants begin whose job runs on asyncio's loop."""
OTHER = re.compile(
    r"blocking$|client_threads|executemany$|fastapi_def|httpx_threads|plain_def|processes|queue$|requests_|row_by_row|sync"
    r"|thread(?!_pool)|urllib|websockets_threads"
)
"""How those begin that do without: plain code, threads, processes."""


def main():
    """Write the list."""
    put(PAGE, STUDY, page(read_board()))


def page(board):
    """Returns a table with a row for each pair of cases, the worst first."""
    sentences = {claim.id: claim.sentence for claim in board.claims}
    lines = ["| claim | on asyncio | the other way | size | asyncio takes | where |", "|---|---|---|---|---|---|"]
    for (claim, ways, size), found in sorted(
        cases(board).items(), key=lambda each: -max(times for times, _ in each[1])
    ):
        ends = dict.fromkeys(f"{times:.{0 if times >= 9.5 else 1}f}" for times in (min(found)[0], max(found)[0]))
        link = f'[{claim}](../claims.md#{claim.lower()} "{cell(sentences[claim]).replace(chr(34), "")}")'
        where = listed(list(dict.fromkeys(place for _, place in found)))
        lines.append(f"| {link} | {cell(ways[0])} | {cell(ways[1])} | {size} | {' to '.join(ends)} × | {where} |")
    return "\n".join(lines)


def cases(board):
    """Returns the claim, both ways and the size of each pair in which asyncio is worse, with how much and where."""
    found = {}
    for decision in board.decisions:
        load = next((one.value.strip("'") for one in decision.given if one.name == "load"), "")
        if not (decision.answers or "awake" in decision.reason):
            continue  # nothing is known, or another load generator disagrees
        for test in decision.tests:
            ways = variant(test.contender), variant(test.baseline)
            first, second = (bool(ASYNCIO.match(way)) - bool(OTHER.match(way)) for way in ways)
            if test.interval is None or not test.ratio or {first, second} != {1, -1}:
                continue
            if (test.interval.low > MARGIN) if first == 1 else (test.interval.high < 1 / MARGIN):
                times, ordered = (test.ratio, ways) if first == 1 else (1 / test.ratio, ways[::-1])
                place = " ".join(filter(None, (decision.target, test.condition)))
                found.setdefault((decision.claim, ordered, test.at or load), []).append((times, place))
    return found


if __name__ == "__main__":
    main()
