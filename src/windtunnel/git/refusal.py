"""What a remote's refusal means: a race to run again, a failure that may pass, or an answer that is final."""

import re

from windtunnel.errors import OutrunError, RemoteBusyError, RemoteError

FINAL = re.compile(
    r"does not appear to be a git repository|repository .*not found|authentication failed|could not read username"
    r"|permission (to .* )?denied|host key verification failed|requested url returned error: 40[0134]"
    r"|dubious ownership|unable to find remote helper|transport '.*' not allowed|mismatched algorithms"
    r"|unadvertised object|not our ref|write access to repository not granted",
    re.IGNORECASE,
)
"""What the next try would hear again; git has no codes for it, only words."""

OUTRUN = re.compile(
    r"\[rejected\]|\[remote rejected\] \((fetch first|failed to update ref|cannot lock ref|reference already exists"
    r"|incorrect old value|shallow update not allowed)"
)
"""Why a push is refused when another one came first: by this side, by the other one."""


def no_such_branch(err: str) -> bool:
    """Tell whether a fetch failed only because the branch is not there."""
    return "couldn't find remote ref" in err


def fetch_refusal(err: str, remote: str) -> RemoteError:
    """Return the error for a remote that could not be read."""
    said = _last_words(err)
    if FINAL.search(err):
        return RemoteError(f"remote {remote} cannot be read: {said}; see its URL and the credentials for it")
    return RemoteBusyError(f"remote {remote} cannot be reached: {said}; see the network and try again")


def push_refusal(out: str, err: str, target: str) -> RemoteError:
    """Return the error for a failed ``git push --porcelain`` to *target*."""
    refused = next((line for line in out.splitlines() if line.startswith("!")), "")
    reason, said = refused.rpartition("\t")[2], _last_words(err)
    if OUTRUN.search(refused):
        return OutrunError(f"{target} has moved: {reason}: {said}; fetch it and push again")
    if "remote rejected" in refused and "unpack" not in refused:
        return RemoteError(
            f"{target} refuses the push: {reason}: {said}; "
            "see the rules that protect the branch, and let this user push to it"
        )
    if FINAL.search(err):
        return RemoteError(f"{target} cannot be pushed to: {said}; in GitHub Actions the job needs contents: write")
    return RemoteBusyError(f"{target} cannot be pushed to: {said or reason}; see the network and try again")


def _last_words(err: str) -> str:
    """Return what the other side said, or else git's own complaint, in one line."""
    lines = [line.strip() for line in err.splitlines() if line.strip()]
    theirs = [line.removeprefix("remote:").strip() for line in lines if line.startswith("remote:")]
    ours = [line for line in lines if line.startswith(("fatal:", "error:", "ssh:", "ERROR:"))]
    return " ".join([line for line in theirs if line][:5] or ours[:2] or lines[:2])
