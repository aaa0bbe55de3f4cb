"""Puts what was measured anew into the committed board.

    windtunnel claims RESULTS --out new.json
    make study ARGS="studies.renewed_board new.json"
    make study ARGS="studies.claim_page"

A claim that was answered anew keeps no decision of Pythons that were built differently or ran on another machine. The
other claims keep what they have, until they are measured as well.
"""

import argparse
from pathlib import Path

from msgspec.structs import replace

from studies.board import BOARD, is_measured, read_board
from windtunnel_claims.claims_command import read_claims
from windtunnel_claims.findings import decide_findings
from windtunnel_claims.format import CLAIMS_FORMAT, DecidedClaim, Decision

NOT_MEASURED = "not measured on this Python"
CLAIMS = Path(__file__).parents[1] / "benchmarks" / "claims.toml"


def main():
    """Write the committed board with what another one measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("new", type=Path, help="claims.json of what was measured anew")
    parser.add_argument("--built", default="", help="how its Pythons were built, where their record does not say it")
    options = parser.parse_args()
    board = renewed(read_board(), read_board(options.new), read_claims(CLAIMS), options.built)
    BOARD.write_bytes(CLAIMS_FORMAT.encode(board))


def renewed(old, new, claims, built=""):
    """Returns the board *old* with the targets and the claims of *new*; a target is named by its full version."""
    targets = {each.name: named(each, built) for each in new.targets}
    names = {each.name for each in targets.values()}
    kept = [each for each in old.targets if each.name not in names]
    anew = {one.claim for one in new.decisions if is_measured(one) and one.answers}
    alike = {(each.machine, each.built) for each in targets.values()}
    others = {each.name for each in kept if (each.machine, each.built) not in alike}
    before = {(one.claim, one.target): one for one in old.decisions}
    decisions = []
    for claim in new.claims:
        for target in kept:
            known = before.get((claim.id, target.name))
            if known is None or (claim.id in anew and target.name in others):
                known = DecidedClaim(
                    claim=claim.id,
                    target=target.name,
                    decision=Decision.UNDECIDED,
                    reason="not measured on this Python",
                )
            decisions.append(known)
        decisions += [replace(one, target=targets[one.target].name) for one in new.decisions if one.claim == claim.id]
    listed = (*kept, *targets.values())
    findings = decide_findings(claims.findings, decisions, listed)
    notes = (*old.notes, *(note for note in new.notes if note not in old.notes))
    return replace(
        new, targets=listed, decisions=tuple(decisions), findings=findings, notes=notes, awake=new.awake or old.awake
    )


def named(target, built):
    """Returns *target* with its full version as its name, and how it was built if that is known better."""
    version = target.build.partition(",")[0] or target.name
    return replace(target, name=version, build=f"{version}, {built}" if built else target.build)


if __name__ == "__main__":
    main()
