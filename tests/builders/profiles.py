"""Builds profiles of a case from a call tree."""

from windtunnel.model.schedule import CaseProfile, FunctionCost, StackCost


def profile(*stacks, seconds=False, lines=None):
    """A profile of *stacks*, each ``("a > b", calls, own cost)`` with functions of pkg/mod.py, outermost first.

    A name with a slash has its file before a colon: ``other/file.py:name``. A name that begins with ``!`` is compiled.
    """
    names = list(dict.fromkeys(name for path, *_ in stacks for name in path.split(" > ")))
    ends = {name: [each for each in stacks if each[0].split(" > ")[-1] == name] for name in names}
    return CaseProfile(
        functions=tuple(
            _function(
                name, sum(each[1] for each in ends[name]), sum(each[2] for each in ends[name]), seconds, lines or {}
            )
            for name in names
        ),
        stacks=tuple(
            StackCost(frames=tuple(names.index(name) for name in path.split(" > ")), calls=calls, weight=cost)
            for path, calls, cost in stacks
        ),
    )


def _function(name, calls, cost, seconds, lines):
    is_c = name.startswith("!")
    file, _, bare = name.rpartition(":") if "/" in name else ("pkg/mod.py", "", name)
    return FunctionCost(
        name=bare.removeprefix("!"),
        file="" if is_c else file,
        line=0 if is_c else lines.get(bare, 1),
        calls=calls,
        instructions=None if seconds or is_c else cost,
        seconds=cost if seconds else None,
        is_c=is_c,
    )
