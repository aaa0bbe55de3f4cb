"""The artifacts of the real workflows against the stand-ins: any number of shards, and repeated runs."""

import os
import re
from pathlib import Path

import pytest
from actions.stubs import artifacts
from builders.actions_schedule import evaluate
from builders.workflows import read_yaml

from windtunnel.cli.workflow_run import latest_attempts

ROOT = Path(__file__).parents[2]
FOLDER = Path(os.environ.get("WORKFLOWS", ROOT / ".github" / "workflows"))
WORKFLOWS = {path.name: read_yaml(path) for path in sorted(FOLDER.glob("*.yml"))}
JOBS = WORKFLOWS["benchmark.yml"]["jobs"]
DEPLOYING = ("upload-pages-artifact", "deploy-pages")


def steps(job, *names):
    """The steps of *job* that use one of the actions *names*."""
    return [one for one in job.get("steps", ()) if re.match(rf"actions/({'|'.join(names)})@", one.get("uses", ""))]


@pytest.fixture
def workspace(tmp_path, monkeypatch):
    """The environment of the stand-ins, in an empty workspace."""
    (tmp_path / "work").mkdir()
    (tmp_path / "pages").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return {
        "STUB_ARTIFACTS": str(tmp_path / "shelf"),
        "STUB_PAGES": str(tmp_path / "pages"),
        "GITHUB_WORKSPACE": str(tmp_path / "work"),
        "GITHUB_RUN_ID": "5",
    }


@pytest.mark.parametrize("count", [0, 1, 2])
def test_the_shards_have_the_same_place_for_any_number(workspace, count):
    """A single artifact is unpacked without its name, so each shard has a folder of its own in its artifact."""
    (upload,) = (one["with"] for one in steps(JOBS["run"], "upload-artifact") if "shard" in one["with"]["name"])
    (download,) = (one["with"] for one in steps(JOBS["store"], "download-artifact") if "pattern" in one["with"])
    known = {"needs": {"plan": {"outputs": {"attempt": "1"}}}, "github": {"run_attempt": "1"}}
    for number in range(count):
        shard = Path(upload["path"]) / str(number)
        shard.mkdir(parents=True)
        (shard / "run.json").write_text(str(number))
        name = evaluate(upload["name"], matrix={"shard": str(number)}, **known)
        hidden = str(upload.get("include-hidden-files", "")).lower()
        assert artifacts.main("upload", {**workspace, "NAME": name, "WHAT": upload["path"], "HIDDEN": hidden}) == 0
        (shard / "run.json").rename(shard.parent / "taken")
        shard.rmdir()
        (Path(upload["path"]) / "taken").unlink()
    merge = str(download.get("merge-multiple", "")).lower()
    inputs = {"PATTERN": evaluate(download["pattern"], **known), "INTO": "in", "MERGE": merge}
    assert artifacts.main("download", {**workspace, **inputs}) == 0
    found = sorted(one.relative_to("in").as_posix() for one in Path("in").rglob("run.json"))
    assert found == [f"{number}/run.json" for number in range(count)]


PULL_JOBS = WORKFLOWS["pull-request.yml"]["jobs"]


def in_attempt(text, attempt, prepared, part=""):
    """An expression of pull-request.yml in *attempt*, after the job Prepare of the attempt *prepared*."""
    outputs = {"attempt": str(prepared), "measured": "apart"}
    return evaluate(
        text,
        github={"run_attempt": str(attempt)},
        matrix={"part": part},
        needs={"prepare": {"outputs": outputs}},
        steps={"prepare": {"outputs": outputs}},
    )


def upload_part(workspace, attempt, prepared, part=""):
    """Upload the decision, or the part *part*, with the attempt as its content."""
    job, name = ("screen", "Upload the part") if part else ("prepare", PULL_JOBS["prepare"]["steps"][-1]["name"])
    (given,) = (one["with"] for one in steps(PULL_JOBS[job], "upload-artifact") if one["name"] == name)
    folder = Path("measured", f"{job}{part}.{attempt}")
    path = folder / "verdict.json"
    if part:
        (measure,) = (one["run"] for one in PULL_JOBS[job]["steps"] if one["name"] == "Measure")
        inner = re.search(r'--out "parts/(.+)"', measure)[1]
        path = folder / inner.replace("$PART", part).replace("$GITHUB_RUN_ATTEMPT", str(attempt))
    path.parent.mkdir(parents=True)
    path.write_text(f"{prepared}.{part or 0}.{attempt}")
    what = {"NAME": in_attempt(given["name"], attempt, prepared, part), "WHAT": str(folder if part else path)}
    assert artifacts.main("upload", {**workspace, **what, "GITHUB_RUN_ATTEMPT": str(attempt)}) == 0


@pytest.mark.parametrize(
    ("attempt", "prepared", "wanted"),
    [(1, 1, ["1.0.1", "1.1.1", "1.2.1"]), (2, 1, ["1.0.1", "1.1.1", "1.2.2"]), (3, 3, ["3.0.3", "3.1.3"])],
    ids=["first", "failed jobs again", "all jobs again, on fewer runners"],
)
def test_a_repeated_part_replaces_that_of_an_earlier_attempt(workspace, attempt, prepared, wanted):
    """Artifacts of all attempts stay, and ids show no order; parts of an earlier plan are of another comparison."""
    uploads = [(1, 1, ""), (1, 1, "1"), (1, 1, "2"), (2, 1, "2"), (3, 3, ""), (3, 3, "1")]
    for one in uploads:
        if one[0] <= attempt:
            upload_part(workspace, *one)
    for download in (one["with"] for one in steps(PULL_JOBS["confirm"], "download-artifact")):
        (how,) = {"name", "pattern"} & download.keys()
        inputs = {how.upper(): in_attempt(download[how], attempt, prepared)}
        inputs |= {"INTO": download["path"], "MERGE": str(download.get("merge-multiple", "")).lower()}
        assert artifacts.main("download", {**workspace, **inputs, "GITHUB_RUN_ATTEMPT": str(attempt)}) == 0
    (merge,) = (one["run"] for one in PULL_JOBS["confirm"]["steps"] if one["name"] == "Merge the parts")
    assert "--shards prepared/verdict.json parts/*/verdict.json " in merge
    found = latest_attempts([Path("prepared/verdict.json"), *sorted(Path("parts").glob("*/verdict.json"))])
    assert [path.read_text() for path in found] == wanted


@pytest.mark.parametrize("job", ["screen", "confirm"])
def test_a_repeated_job_takes_the_builds_that_were_prepared_for_it(job):
    """Also those of an earlier attempt, where the job Prepare was not repeated."""
    (upload,) = (one["with"] for one in steps(PULL_JOBS["prepare"], "upload-artifact"))
    download, *_ = (one["with"] for one in steps(PULL_JOBS[job], "download-artifact"))
    assert download["path"] == "prepared"
    for attempt, prepared in ((1, 1), (2, 1), (2, 2)):
        assert in_attempt(download["name"], attempt, prepared) == in_attempt(upload["name"], prepared, prepared)


def test_the_latest_attempt_of_a_folder_counts():
    """By its number; names without an attempt stay, in their order."""
    paths = [Path(name) for name in ("b/1.attempt-9/x", "a.1", "b/1.attempt-10/x", "a.2", "b/1.attempt-2/x")]
    assert latest_attempts(paths) == (paths[2], paths[1], paths[3])


@pytest.mark.parametrize("name", WORKFLOWS)
def test_the_name_of_an_artifact_has_its_attempt(name):
    """A download by name, pattern or id takes the highest id of a name, which may be that of an earlier attempt."""
    for job in WORKFLOWS[name]["jobs"].values():
        for step in steps(job, "upload-artifact", "upload-pages-artifact"):
            assert "github.run_attempt" in step["with"]["name"]
        for step in steps(job, "download-artifact"):
            assert "attempt" in step["with"].get("name", "attempt")


@pytest.mark.parametrize("name", WORKFLOWS)
def test_a_download_of_several_artifacts_has_one_layout(name):
    """Without ``merge-multiple`` one artifact and two are unpacked into different places."""
    for job in WORKFLOWS[name]["jobs"].values():
        for step in steps(job, "download-artifact"):
            assert {"name", "artifact-ids"} & step["with"].keys() or step["with"].get("merge-multiple") is True


def test_what_a_release_publishes_cannot_be_swapped_by_what_it_tests(workspace):
    """The tests install dependencies of that day; their code can delete an artifact of the run and upload another."""
    jobs = WORKFLOWS["release.yml"]["jobs"]
    output = Path(workspace["GITHUB_WORKSPACE"], "output")
    built, forged = Path("dist"), Path("forged")
    for folder in (built, forged):
        folder.mkdir()
        (folder / "windtunnel.whl").write_text(folder.name)
    (upload,) = steps(jobs["build"], "upload-artifact")
    name = evaluate(upload["with"]["name"], github={"run_attempt": "1"})
    given = {"NAME": name, "WHAT": "dist", "GITHUB_OUTPUT": str(output)}
    assert artifacts.main("upload", {**workspace, **given}) == 0
    outputs = dict(line.split("=") for line in output.read_text().splitlines())
    known = {
        name: evaluate(text, steps={upload["id"]: {"outputs": outputs}})
        for name, text in jobs["build"]["outputs"].items()
    }

    def download(job):
        (step,) = steps(job, "download-artifact")
        number = evaluate(step["with"].get("artifact-ids", ""), needs={"build": {"outputs": known}})
        return artifacts.main(
            "download", {**workspace, "NAME": step["with"].get("name", ""), "ID": number, "INTO": "in"}
        )

    assert [download(jobs[name]) for name in ("test", "attest", "publish", "announce")] == [0, 0, 0, 0]
    assert Path("in", "windtunnel.whl").read_text() == "dist"
    assert artifacts.main("upload", {**workspace, **given, "WHAT": "forged", "OVERWRITE": "true"}) == 0
    assert [download(jobs[name]) for name in ("attest", "publish", "announce")] == [1, 1, 1]


def publish(workspace, attempt):
    """Carry out the steps of all jobs that upload and deploy a site, as GitHub would: whether the last one succeeds."""
    Path("site").mkdir(exist_ok=True)
    Path("site", "index.html").write_text(f"of attempt {attempt}")
    last = None
    for step in (one for job in JOBS.values() for one in steps(job, *DEPLOYING)):
        inputs = step.get("with", {})
        text = {
            key: evaluate(str(value), github={"run_attempt": str(attempt)}, runner={"temp": "."})
            for key, value in inputs.items()
        }
        name = text.get("name") or text.get("artifact_name") or ""
        action = "deploy" if "deploy-pages" in step["uses"] else "upload-pages"
        env = {**workspace, "NAME": name, "WHAT": text.get("path", ""), "GITHUB_RUN_ATTEMPT": str(attempt)}
        if last := artifacts.main(action, env):
            return False
    return last == 0


def test_a_repeated_run_deploys(workspace):
    """The artifact of the attempt before is still there, and GitHub refuses two of one name."""
    for attempt in (1, 2, 3):
        assert publish(workspace, attempt)
    assert Path(workspace["STUB_PAGES"], "site", "index.html").read_text() == "of attempt 3"


def test_a_job_that_deploys_is_alone_and_builds_its_site():
    """Both ways to publish; otherwise an older run that ends last undoes a newer site."""
    for name in ("store", "deploy"):
        assert JOBS[name]["concurrency"]["group"] == "windtunnel-site-${{ inputs.name }}"
        assert JOBS[name]["concurrency"]["cancel-in-progress"] is False
        assert any(
            one.get("run", "").startswith('windtunnel publish "$RUNNER_TEMP"/results ') for one in JOBS[name]["steps"]
        )
        assert any(one.get("with", {}).get("results") == "${{ runner.temp }}/results" for one in JOBS[name]["steps"])


def can_write(job):
    """Whether a job has a permission to write or a secret."""
    return "write" in job.get("permissions", {}).values() or "secrets." in str(job)


PRIVILEGED = [
    (name, job)
    for name in ("benchmark.yml", "weekly.yml", "comment.yml")
    for job in WORKFLOWS[name]["jobs"]
    if can_write(WORKFLOWS[name]["jobs"][job])
]
WRITTEN = re.compile(
    r"(shards|planned|weekly|past|results|site|(changes|bisect-request)\.json|\.windtunnel-cache)(/|$)"
)


def test_jobs_that_can_write_are_found():
    """So that the next test checks them."""
    assert {("benchmark.yml", "past"), ("benchmark.yml", "store"), ("weekly.yml", "store")} < set(PRIVILEGED)


@pytest.mark.parametrize(("name", "job"), PRIVILEGED)
def test_a_job_that_can_write_takes_no_path_of_the_workspace(name, job):
    """A committed link of that name would put an artifact's files where Python executes them, beside the token."""
    for step in WORKFLOWS[name]["jobs"][job].get("steps", ()):
        inputs = step.get("with", {})
        if re.match(r"actions/(download|upload|upload-pages)-artifact@", step.get("uses", "")):
            assert "${{ runner.temp }}/" in inputs["path"] or "$RUNNER_TEMP" in inputs["path"], step
        assert not WRITTEN.match(inputs.get("results", ""))
        for word in step.get("run", "").replace("windtunnel store site ", "").split():
            assert not WRITTEN.match(word), step
