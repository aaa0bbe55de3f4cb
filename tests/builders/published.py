"""Published sites, for tests that look at them in a browser."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import msgspec
from builders.claim_boards import a_claim_board, a_claim_statement, a_decided_claim, a_decided_test, a_finding, a_flip
from builders.commands import run_command
from builders.error_rates import eight_months
from builders.observations import a_change
from builders.repositories import ENV, a_repository, commits_of, git
from builders.trees import a_benchmark, a_row, a_run, a_scenario, a_tree, a_value
from msgspec import structs

from windtunnel.compare.error_rates_format import ERROR_RATES_FORMAT
from windtunnel.detect.alert_format import ALERTS_FORMAT, Alert, AlertBisection, AlertIssue, Alerts
from windtunnel.detect.format import CandidateCommits
from windtunnel.model.benchmark import counting
from windtunnel.model.identity import CommitHash
from windtunnel.model.run import Failed, Interval, Measured, Skipped
from windtunnel.results.tree import write_tree
from windtunnel_claims.format import CLAIMS_FORMAT, Decision, FigureResult, FindingAnswer

CONFIG = {
    "version": 1,
    "project": "toy",
    "repo": ".",
    "branches": ["main"],
    "show_commit_url": "https://example.org/commit/",
}


SETTINGS = """
[tool.windtunnel.board]
variant = "variant"
load = "load"
reference = "sync"
"""


def a_history(where, subjects, releases=()):
    """A repository with one commit a *subject*, made at one go; *releases* are the indices of commits with a tag."""
    repo = a_repository(where)
    date = 1_700_000_000
    stream = "".join(
        f"commit refs/heads/main\nmark :{index + 1}\nauthor Somebody <s@example.org> {date + index * 86400} +0000\n"
        f"committer Somebody <s@example.org> {date + index * 86400} +0000\n"
        f"data {len(subject.encode())}\n{subject}\nM 644 inline file\ndata {len(str(index))}\n{index}\n\n"
        for index, subject in enumerate(subjects)
    )
    git(repo, "fast-import", "--quiet", stdin=stream)
    git(repo, "reset", "--quiet", "--hard", "main")
    (repo / "asv.conf.json").write_text(json.dumps(CONFIG), encoding="utf-8")
    (repo / "pyproject.toml").write_text(SETTINGS, encoding="utf-8")
    commits = [CommitHash(each) for each in commits_of(repo)]
    for index in releases:
        git(repo, "tag", f"v{index}", commits[index])
    return repo, commits


def a_measured(middle, spread=0.01):
    """A value with samples around *middle* and asv's interval of the median."""
    interval = Interval(low=middle * (1 - spread), high=middle * (1 + spread))
    return replace(a_value(middle, spread, count=10), interval=interval)


def publish(repo, tree, *more, detect=True):
    """The site of *tree*, with the changes that ``windtunnel detect`` finds in it."""
    results, site, changes = (repo.parent / name for name in ("results", "site", "changes.json"))
    write_tree(tree, results)
    options = more
    if detect:
        command("detect", results, "--repo", repo, "--config", repo / "asv.conf.json", "--out", changes)
        options += ("--changes", changes)
    command("publish", results, "--out", site, "--config", repo / "asv.conf.json", *options)
    return site


def command(*argv):
    """Run ``windtunnel``; what it says is shown when it fails."""
    run_command(argv, ENV, code=0)


def a_full_site(where, *, runs=40, pythons=("3.12", "3.13"), more=()):
    """Scenarios, parameters, memory, a step half way, a failure, a gap, releases: everything that pages show."""
    repo, commits = a_history(
        where / "repo", [f"change {index} of the parser" for index in range(runs)], releases=(10, 30)
    )
    sleep = a_scenario("sleep.Sleep.time_run", ("sync", "async_sequential", "gather"), ("quick", "standard"))
    sized = a_benchmark("parser.Tokens.time_scan", size=["10", "100", "1000"])
    memory = a_benchmark("parser.Tokens.peakmem_scan", unit="bytes")

    def rows(index):
        factor = 1.4 if index >= runs // 2 else 1.0
        noise = 1 + 0.004 * ((index * 7919) % 11 - 5) / 5
        times = [a_measured(base * load * noise) for base in (0.03, 0.0301, 0.01) for load in (1, 10)]
        scans = [Failed() if index == 5 else a_measured(1e-6 * size * factor * noise) for size in (10, 100, 1000)]
        return a_row(sleep, *times), a_row(sized, *scans), a_row(memory, a_measured(2e7 * noise, spread=0))

    made = [
        replace(a_run(*rows(index), python=python, date=1_700_000_000_000 + index * 86_400_000), commit=commit)
        for index, commit in enumerate(commits)
        for python in pythons
    ]
    claims, alerts = repo.parent / "claims.json", repo.parent / "alerts.json"
    claims.write_bytes(CLAIMS_FORMAT.encode(a_board()))
    before, after = commits[runs // 2 - 1 : runs // 2 + 1]
    alerts.write_bytes(ALERTS_FORMAT.encode(Alerts(alerts=(a_bisected_alert(before, after),))))
    tree = a_tree(*made, benchmarks=[sleep, sized, memory])
    return publish(repo, tree, "--claims", claims, "--alerts", alerts, *more)


def a_history_of_nothing_special(where):
    """The first page of a suite without claims and scenarios, after three commits."""
    repo, commits = a_history(where / "repo", ["one", "two", "three"])
    plain = a_benchmark("module.time_it")
    made = [replace(a_run(a_row(plain, a_measured(0.1))), commit=commit) for commit in commits]
    return publish(repo, a_tree(*made, benchmarks=[plain]))


def a_site_of_a_job(where, *, commits=3, pythons=("3.12", "3.13")):
    """One job as a web server does it: how long it takes, each request's latency, its memory; rates, years."""
    repo, hashes = a_history(where / "repo", [f"change {index} of the server" for index in range(commits)])
    variants = ("sync", "threads", "gather")
    times = a_scenario("web.Web.time_run", variants)
    latencies = replace(a_scenario("web.WebLatency.latency_request", variants), type_word="latency")
    memory = replace(a_scenario("web.WebMemory.peak_profile", variants, unit="bytes"), type_word="profile")
    counts = counting(times)

    def rows(factor):
        return (
            a_row(times, *(a_measured(each * factor) for each in (0.5, 0.2, 0.1))),
            a_row(counts, a_measured(1_515_741.0, 1e-4), a_measured(1_606_000.0, 1e-4), Skipped()),
            a_row(latencies, *(a_tail(each * factor) for each in (0.005, 0.02, 0.03))),
            a_row(memory, *(a_course(each * factor) for each in (1e6, 4e6, 2e6))),
        )

    made = [
        replace(a_run(*rows(1 + 0.001 * index), python=python), commit=commit)
        for index, commit in enumerate(hashes)
        for python in pythons
    ]
    (repo / "pyproject.toml").write_text(f'[tool.windtunnel]\nyears = "years.json"\n{SETTINGS}', encoding="utf-8")
    shutil.copy(YEARS, repo)
    rates = repo.parent / "results" / "error-rates.json"
    rates.parent.mkdir()
    rates.write_bytes(ERROR_RATES_FORMAT.encode(eight_months()))
    tree = a_tree(*made, benchmarks=[times, latencies, memory, counts])
    return publish(repo, tree)


def a_tail(middle, requests=200):
    """Latencies of two processes, most of them near *middle*, the slowest ten times as long."""
    samples = [middle * (1 + 9 * (index / (requests - 1)) ** 20) for index in range(requests)]
    half = requests // 2
    return Measured(value=middle, samples=(*samples[::2], *samples[1::2]), process_sizes=(half, requests - half))


def a_course(most, interim_analyses=20):
    """Bytes of two processes from beginning to end: up to *most*, and half of it given back."""
    steps = [*(place / 12 for place in range(13)), *(1 - 0.5 * place / 7 for place in range(1, 8))]
    samples = [most * step * factor for factor in (1.0, 1.05) for step in steps]
    return Measured(value=most / 2, samples=tuple(samples), process_sizes=(interim_analyses, interim_analyses))


def a_board():
    """A claim that holds on one Python and is undecided on the other, and one that fails, with figures beside it."""
    pool = FigureResult(name="break-even", value=0.31, unit="seconds", low=0.111, high=0.633, reason="")
    yields = FigureResult(name="a turn", value=None, unit=None, low=None, high=None, reason="not measured")
    return a_claim_board(
        a_decided_claim(),
        a_decided_claim(target="3.13", decision=Decision.UNDECIDED, reason="too few processes"),
        msgspec.structs.replace(a_flip(), figures=(pool, yields)),
        findings=(
            a_finding(question="I wait for <b>many</b> things at once", caveat="Only while nothing computes."),
            a_finding(
                FindingAnswer(sentence="No.", decision=Decision.FAILS, targets=("3.12",)),
                FindingAnswer(sentence="Yes.", decision=Decision.HOLDS, targets=("3.13",)),
                claim="Z2",
                question="Does it pay for one?",
            ),
        ),
    )


def an_alert(commit):
    """An alert of the scan that a person accepted."""
    case = a_change(
        "parser.Tokens.time_scan", params=("100",), version=None, before=1e-4, after=1.4e-4, relative_change=0.4
    )
    location = CandidateCommits(
        commit=commit, previous_commit=commit, candidates=(commit,), candidate_count=1, date="2023-12-04"
    )
    return Alert(
        id="5d0c6f1f3a9e",
        state="accepted",
        raised="2023-12-05T00:00:00Z",
        updated="2023-12-05T00:00:00Z",
        issue=AlertIssue(number=7, state="not_planned", person="Somebody"),
        location=location,
        cases=(case,),
    )


def a_bisected_alert(before, after, subject="change 20 of the parser"):
    """The same alert when a bisection has found the commit *after*."""
    found = AlertBisection(
        good=before,
        bad=after,
        attempts=1,
        answer="commit",
        decided_by="instructions",
        case="parser.Tokens.time_scan(100)",
        before=before,
        after=after,
        range_size=1,
        subject=subject,
        relative_change=0.42,
        functions=("normalize (pkg/tokens.py:88, changed by the diff): own instructions +250 %",),
    )
    return structs.replace(an_alert(after), bisection=found)


YEARS = Path(__file__).with_name("years.json")
"""Two jobs, one of them with two values; a case lost four fifths of its work in a release and moved again."""
EVIL = "<img src=x onerror=alert(1)>\"'</script><script>alert(2)</script>&lt;b&gt; ${alert(3)} __proto__"


def a_hostile_site(where, runs=12):
    """A site on which everything that strangers name tries to become markup."""
    repo, commits = a_history(where / "repo", [f"{EVIL} {index}" for index in range(runs)])
    scenario = a_scenario(f"{EVIL}.time_run", ("sync", EVIL), (EVIL,))
    plain = a_benchmark(f"x.{EVIL}", unit=EVIL, **{EVIL: [EVIL, "constructor"]})
    rows = [(a_row(scenario), a_row(plain, a_value(1.0 + (index >= 6)), a_value(2.0))) for index in range(runs)]
    made = [
        replace(a_run(*each, python=EVIL, environment="e"), commit=commit)
        for each, commit in zip(rows, commits, strict=True)
    ]
    claims, alerts = repo.parent / "claims.json", repo.parent / "alerts.json"
    alerts.write_bytes(ALERTS_FORMAT.encode(Alerts(alerts=(a_bisected_alert(commits[5], commits[6], EVIL),))))
    tests = (a_decided_test(reason=EVIL), a_decided_test(reason=EVIL))
    figure = FigureResult(name=EVIL, value=None, unit=EVIL, low=None, high=None, reason=EVIL)
    decided = a_decided_claim(EVIL, EVIL, reason=EVIL, tests=tests, figures=(figure,))
    said = (a_claim_statement(EVIL, sentence=EVIL, published_text=EVIL),)
    claims.write_bytes(CLAIMS_FORMAT.encode(a_claim_board(decided, claims=said, notes=(EVIL,))))
    tree = a_tree(*made, benchmarks=[scenario, plain])
    return publish(repo, tree, "--claims", claims, "--alerts", alerts)
