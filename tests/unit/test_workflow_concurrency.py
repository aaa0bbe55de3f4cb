"""What pushes, nightly runs and requests measure and publish, by the real workflow and the rules of GitHub."""

import os
import re
from dataclasses import dataclass
from pathlib import Path

from builders.actions_schedule import Clock, evaluate
from builders.workflows import read_yaml
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.bench.commit_selection import CommitFilter, PlanRequest, choose, without_new
from windtunnel.git.repository import Commit

ROOT = Path(__file__).parents[2]
FILE = Path(os.environ.get("BENCHMARK_WORKFLOW", ROOT / ".github" / "workflows" / "benchmark.yml"))
WORKFLOW = read_yaml(FILE)
PLAN = next(step for step in WORKFLOW["jobs"]["plan"]["steps"] if step["name"] == "Plan")
BUILDS_SITE = re.compile(r"windtunnel publish results ")


def a_commit(number):
    return Commit(hash=f"{number:040}", subject=str(number), author_date=0, parent=f"{number - 1:040}")


class Branch:
    """The main branch, as far as a plan reads it."""

    def __init__(self):
        self.newest = 0

    def first_parent_log(self, revisions, limit):
        newest = self.newest if revisions == "main" else int(revisions)
        log = [a_commit(number) for number in range(newest, -1, -1)]
        return tuple(log[:limit])

    def diff_names(self, parent, commit):
        return ("src/changed.py",)


@dataclass
class Wish:
    """An event, and how long its run and its deployment take."""

    event: str
    at: float
    seconds: float
    deploys: float = 1.0
    inputs: tuple = ()
    fails: bool = False


class Repository:
    """A repository with the workflow: what its runs measure, store and publish."""

    def __init__(self, stored=(0,)):
        self.branch, self.clock = Branch(), Clock()
        self.stored = {a_commit(number).hash for number in stored}
        self.measured, self.served, self.deploying, self.overlaps, self.number = [], None, 0, 0, 0

    def wish(self, wish):
        self.number += 1
        context = {
            "inputs": dict(wish.inputs),
            "github": {"run_id": str(self.number), "ref": "refs/heads/main", "event_name": wish.event},
        }
        if wish.event == "push":
            self.clock.at(wish.at, self._push)
        group = evaluate(WORKFLOW["concurrency"]["group"], **context)
        self.clock.at(wish.at, lambda: self.clock.enter(group, wish, lambda: self._plan(wish, group, context)))

    def _push(self):
        self.branch.newest += 1

    def _plan(self, wish, group, context):
        """The run begins: it plans by the results that are stored now."""
        context = {**context, "env": {key: evaluate(str(text), **context) for key, text in WORKFLOW["env"].items()}}
        env = {key: evaluate(str(text), **context) for key, text in PLAN["env"].items()}
        request = PlanRequest(commits=1, revisions=env["REVISIONS"] or "main")
        assert '"$WINDTUNNEL_NEW"' in PLAN["run"]
        new = context["env"]["WINDTUNNEL_NEW"]
        known = CommitFilter(stored=frozenset(self.stored)) if new == "--new" else CommitFilter()
        if new == "--no-new":
            known = without_new(self.branch, known, "main", self.stored, set())
        commits = [one.hash for one in choose(self.branch, request, known)[0] if one.hash not in self.stored]
        self.measured += commits
        self.clock.at(self.clock.now + wish.seconds, lambda: self._store(wish, group, commits, context))

    def _store(self, wish, group, commits, context):
        """All shards are merged and pushed in one step; then the site is deployed, and the run ends."""
        if wish.fails:
            self.clock.leave(group)
            return
        self.stored |= set(commits)
        job, site = WORKFLOW["jobs"]["deploy"], frozenset(self.stored)
        rule = job.get("concurrency")
        place = evaluate(rule["group"], **context) if rule else None
        late = any(BUILDS_SITE.search(step.get("run", "")) for step in job["steps"])

        def deploy():
            self.deploying += 1
            self.overlaps += self.deploying > 1
            built = frozenset(self.stored) if late else site

            def done():
                self.deploying -= 1
                self.served = built
                self.clock.leave(place)

            self.clock.at(self.clock.now + wish.deploys, done)

        self.clock.enter(place, wish, deploy)
        self.clock.leave(group)


def after(*wishes):
    repository = Repository()
    for wish in wishes:
        repository.wish(wish)
    repository.clock.run()
    return repository


def numbers(hashes):
    return sorted(int(one) for one in hashes)


def test_three_pushes_in_a_minute_measure_each_commit_once():
    """The second run waits, the third takes its place and measures both their commits."""
    found = after(*(Wish("push", at=20.0 * number, seconds=600.0) for number in range(3)))
    assert numbers(found.measured) == [1, 2, 3]
    assert len(found.clock.cancelled) == 1


def test_a_run_that_was_asked_for_leaves_new_commits_to_the_run_of_the_push():
    """Both measure at the same time; the request also survives a push that comes while it waits."""
    found = Repository(stored=(4,))
    found.branch.newest = 4
    found.wish(Wish("workflow_dispatch", at=5, seconds=900, inputs=(("revisions", "1"),)))
    found.wish(Wish("workflow_dispatch", at=6, seconds=900, inputs=(("revisions", "3"),)))
    for at in (0, 10, 20):
        found.wish(Wish("push", at=at, seconds=600))
    found.clock.run()
    assert numbers(found.measured) == [1, 3, 5, 6, 7]


WISHES = st.lists(
    st.builds(
        Wish,
        event=st.sampled_from(["push", "push", "schedule", "workflow_dispatch"]),
        at=st.floats(0, 3000),
        seconds=st.floats(1, 2000),
        deploys=st.floats(1, 2000),
        inputs=st.just(()),
    ),
    max_size=12,
)
REQUESTS = st.lists(
    st.builds(
        Wish,
        event=st.just("workflow_dispatch"),
        at=st.floats(0, 3000),
        seconds=st.floats(1, 2000),
        deploys=st.floats(1, 2000),
        inputs=st.sampled_from([(("revisions", "0"),), (("bench", "x"),)]),
    ),
    max_size=4,
)


@given(WISHES, REQUESTS)
def test_no_commit_is_measured_twice_and_none_is_lost(wishes, requests):
    """In any order of events, with any durations; at the latest the next nightly run measures what is left."""
    found = after(*wishes, *requests, Wish("schedule", at=10**6, seconds=1))
    assert len(found.measured) == len(set(found.measured))
    assert numbers(found.stored) == list(range(found.branch.newest + 1))


@given(WISHES, REQUESTS, st.data())
def test_a_run_that_stores_nothing_loses_no_commit(wishes, requests, data):
    """Its commits are still new for the next run, also when runs with inputs stored something in the meantime."""
    for wish in (*wishes, *requests):
        wish.fails = data.draw(st.booleans())
    found = after(*wishes, *requests, Wish("schedule", at=10**6, seconds=1))
    assert numbers(found.stored) == list(range(found.branch.newest + 1))


@given(WISHES, REQUESTS)
def test_the_site_has_everything_that_is_stored(wishes, requests):
    """No deployment meets another one, and the last one has the results of all runs."""
    found = after(*wishes, *requests)
    assert found.overlaps == 0
    if wishes or requests:
        assert found.served == found.stored
