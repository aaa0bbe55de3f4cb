"""The tables of docs/adopted.md: what each step did in each project, and what failed."""

import re

COLUMNS = (
    "project",
    "suite",
    "init",
    "doctor",
    "plan",
    "build",
    "run",
    "compare",
    "site",
    "time",
    "what had to be set",
)
WHOLE_WAY = ("plan", "run", "compare", "publish")
"""The steps of a project that goes the whole way."""


def render(records):
    """Return a summary, the table, what failed, and the way from nothing to the first verdict."""
    lines = [summary(records), "", f"| {' | '.join(COLUMNS)} |", "|---" * len(COLUMNS) + "|"]
    lines += [f"| {' | '.join(row(project, steps))} |" for project, steps in records]
    if failed := list(failures(records)):
        lines += [
            "",
            "### What does not work here",
            "",
            "| project | step | message | instead |",
            "|---|---|---|---|",
            *failed,
        ]
    if new := [(project, steps["new"]) for project, steps in records if "new" in steps]:
        lines += ["", "### From nothing to the first verdict", "", *first_verdicts(new)]
    return "\n".join(lines)


def summary(records):
    """Return how many projects went how far."""
    whole = [project for project, steps in records if all(works(steps.get(step)) for step in WHOLE_WAY)]
    extensions = sum(project["kind"] == "C extension" for project in whole)
    found = sum(finds(steps["compare"]) for project, steps in records if project in whole)
    plans = sum(works(steps.get("plan")) for _, steps in records)
    return (
        f"{len(whole)} of {len(records)} repositories go the whole way, to a verdict on two commits and a site; "
        f"{extensions} of these have a C extension. The verdict finds the known change in {found} of the {len(whole)}; "
        f"the others stay inconclusive. {plans} repositories are planned, after a build and a discovery."
    )


def finds(record):
    """Return whether a comparison decided that a case changed."""
    counts = record.get("result", {}).get("verdicts", {})
    return bool(counts.get("regressed") or counts.get("improved"))


def works(record):
    """Return whether a step was taken and succeeded."""
    return record is not None and record["code"] == 0


def row(project, steps):
    """Return the cells of a project."""
    clone = steps["clone"]
    snapshot = project.get("snapshot") or clone["snapshot"][:8]
    name = f"[{project['name']}](https://github.com/{project['name']}) {snapshot}, {project['kind']}"
    suite = f"`{clone['own']}`, {clone.get('environment', 'virtualenv')}" if clone["own"] else "none"
    cells = [cell(steps.get(step), text) for step, text in CELLS]
    seconds = sum(record["seconds"] for step, record in steps.items() if step not in ("clone", "new"))
    had = "; ".join(project[key] for key in ("set", "note") if key in project)
    return [name, suite, *cells, duration(seconds), had or "nothing"]


def cell(record, text):
    """Return what a step did: its own text if it succeeded."""
    if record is None:
        return "–"
    return text(record) if record["code"] == 0 else "**no**"


def failures(records):
    """Yield a line for the first step of each project that failed."""
    for project, steps in records:
        for step, record in steps.items():
            if step != "clone" and record["code"] != 0:
                name = project["name"].partition("/")[2]
                yield f"| {name} | {step} | {reason(record)} | {project.get('instead', '')} |"
                break


def reason(record):
    """Return the message of a step that failed: what doctor marks as fatal, else the last message."""
    lines = [line for line in record["output"].splitlines() if line.strip()]
    if fatal := [line.partition("FATAL")[2].strip() for line in lines if line.startswith("FATAL")]:
        lines = [f"doctor: {fatal[0]}"]
    message = lines[-1].partition(": ")[2] if lines else "no output"
    return re.sub(r"/\S*/(?=[^/\s]+)", "…/", message).replace("|", "\\|")[:300]


TOOL = "../windtunnel/.windtunnel/tool/bin/windtunnel"
"""Where `make tool` puts the command, from a clone beside that of Windtunnel."""


def first_verdicts(new):
    """Yield the commands from nothing to the first verdict of each project, with their durations."""
    for project, record in new:
        result = f"{verdicts(record)}." if "result" in record else f"failed: {reason(record)}"
        commands = [f"    {readable(command)}" for command, _ in record["commands"]]
        folder = project["name"].replace("/", "+")
        commands[-1] = commands[-1].replace("windtunnel", f"cd {folder} && {TOOL}", 1)
        took = ", ".join(duration(seconds) for _, seconds in record["commands"])
        total = f"{len(commands)} commands, {duration(record['seconds'])} ({took})"
        yield from (f"{project['name']}: {total}, no file edited. {result}", "", *commands, "")


def readable(command):
    """Return a command without folders, and with the address from which a user clones Windtunnel."""
    command = re.sub(r"(?<=quiet )/\S+", "https://github.com/OWNER/windtunnel", command)
    return re.sub(r"(?<= )/\S*/", "", command)


def planned(record):
    """Return the number of cases, and how long their discovery took."""
    found = re.search(r"(\d+) cases? to measure", record["output"])
    return f"{found[1]} cases, {duration(record['seconds'])}" if found else duration(record["seconds"])


def built(record):
    """Return how long the builds of both commits took."""
    found = re.findall(r"built and installed in (\d+) s", record["output"])
    return " + ".join(f"{seconds} s" for seconds in found) if any(map(int, found)) else "–"


def compared(record):
    """Return the verdicts of a comparison and its duration."""
    return f"{verdicts(record)}; {duration(record['seconds'])}"


def verdicts(record):
    """Return how many cases have each verdict, and the largest change."""
    result = record["result"]
    text = ", ".join(f"{count} {verdict}" for verdict, count in sorted(result["verdicts"].items()))
    if result["largest"]:
        name, change = result["largest"]
        text += f"; `{name.rpartition('.')[2]}` {1 + change:.2f}×"
    return text


def warned(record):
    """Return how many warnings the doctor has."""
    count = len(re.findall(r"^warning", record["output"], re.MULTILINE))
    return f"{count} warnings" if count > 1 else "1 warning" if count else "ok"


def timed(record):
    """Return the duration of a step."""
    return duration(record["seconds"])


CELLS = (
    ("init", timed),
    ("doctor", warned),
    ("plan", planned),
    ("compare", built),
    ("run", timed),
    ("compare", compared),
    ("publish", timed),
)
"""The cells between suite and time: the step, and the text when it succeeded."""


def duration(seconds):
    """Return a duration for people."""
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"
