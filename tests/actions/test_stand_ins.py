"""The stand-ins for GitHub's actions behave as the actions do; ``stubs/artifacts.py`` names the sources."""

import pytest
from actions.stubs import artifacts
from builders.folders import write_files

ALL = {"GITHUB_RUN_ID": "5"}


@pytest.fixture
def act(tmp_path, monkeypatch):
    """Carries out an action in an empty workspace; returns its exit code."""
    workspace = tmp_path / "work"
    workspace.mkdir()
    monkeypatch.chdir(workspace)
    (tmp_path / "pages").mkdir()
    places = {"STUB_ARTIFACTS": tmp_path / "shelf", "STUB_PAGES": tmp_path / "pages", "GITHUB_WORKSPACE": workspace}

    def call(action, attempt=1, **inputs):
        env = {key: str(value) for key, value in places.items()}
        return artifacts.main(action, {**env, **ALL, "GITHUB_RUN_ATTEMPT": str(attempt), **inputs})

    call.folder = workspace
    call.pages = tmp_path / "pages"
    return call


def put(act, **files):
    """Files in the workspace; ``__`` separates folders, and ``_`` at the start of a name is a dot."""
    paths = ("/".join("." + one[1:] if one[0] == "_" else one for one in name.split("__")) for name in files)
    write_files(act.folder, dict(zip(paths, files.values(), strict=True)))


def found(act, folder):
    """The files below *folder*, None if there is no such folder."""
    root = act.folder / folder
    return (
        sorted(one.relative_to(root).as_posix() for one in root.rglob("*") if one.is_file()) if root.exists() else None
    )


def shards(act, *numbers):
    for number in numbers:
        put(act, **{f"s{number}__{number}__run": str(number)})
        assert act("upload", NAME=f"shard-{number}", WHAT=f"s{number}") == 0


def test_one_match_of_a_pattern_is_unpacked_flat(act):
    """The name of the artifact is lost; a workflow that counts on it finds nothing."""
    shards(act, 0)
    assert act("download", PATTERN="shard-*", INTO="in") == 0
    assert found(act, "in") == ["0/run"]


def test_several_matches_get_a_folder_each_unless_they_are_merged(act):
    """``merge-multiple`` gives one layout for any number."""
    shards(act, 0, 1)
    assert act("download", PATTERN="shard-*", INTO="in") == 0
    assert found(act, "in") == ["shard-0/0/run", "shard-1/1/run"]
    assert act("download", PATTERN="shard-*", INTO="merged", MERGE="true") == 0
    assert found(act, "merged") == ["0/run", "1/run"]


def test_a_missing_name_fails_and_a_pattern_without_a_match_does_not(act):
    """Nothing is created for the latter, not even the folder."""
    assert act("download", NAME="none", INTO="in") == 1
    assert act("download", PATTERN="none-*", INTO="in") == 0
    assert found(act, "in") is None


def test_a_name_is_uploaded_once_in_an_attempt(act):
    """A second upload is refused unless it overwrites; another attempt of the run uploads again."""
    put(act, one="1")
    assert act("upload", NAME="a", WHAT="one") == 0
    assert act("upload", NAME="a", WHAT="one") == 1
    put(act, one="2")
    assert act("upload", NAME="a", WHAT="one", OVERWRITE="true") == 0
    assert act("upload", attempt=2, NAME="a", WHAT="one") == 0


def test_a_download_may_take_an_earlier_attempt(act):
    """Ids do not grow with attempts, so names have to tell them apart; artifacts of an earlier attempt stay."""
    for attempt in (1, 2):
        put(act, one=str(attempt))
        assert (
            act("upload", attempt, NAME="a", WHAT="one") == act("upload", attempt, NAME=f"a.{attempt}", WHAT="one") == 0
        )
    assert act("download", attempt=2, INTO="in") == 0
    assert [(act.folder / "in" / name / "one").read_text() for name in ("a", "a.1", "a.2")] == ["1", "1", "2"]


def test_hidden_files_are_left_out_unless_they_are_asked_for(act):
    """Also files in hidden folders, and a hidden path itself."""
    put(act, site___cache__x="", site___nojekyll="", site__index="", _hidden__x="")
    assert act("upload", NAME="plain", WHAT="site") == act("upload", NAME="all", WHAT="site", HIDDEN="true") == 0
    assert act("upload", NAME="none", WHAT=".hidden") == 0
    assert act("download", INTO="in") == 0
    assert found(act, "in") == ["all/.cache/x", "all/.nojekyll", "all/index", "plain/index"]


@pytest.mark.parametrize(("wish", "code"), [("", 0), ("warn", 0), ("ignore", 0), ("error", 1)])
def test_an_upload_without_files_makes_no_artifact(act, wish, code):
    """A warning is the default; empty folders are no files."""
    (act.folder / "empty" / "deeper").mkdir(parents=True)
    assert act("upload", NAME="a", WHAT="empty", IF_NO_FILES=wish) == code
    assert act("download", NAME="a") == 1


def test_a_deployment_refuses_two_artifacts_of_its_name_in_a_run(act):
    """A repeated run leaves the artifact of the attempt before; a name of its own for each attempt is accepted."""
    put(act, site__index="1")
    for attempt in (1, 2):
        assert act("upload-pages", attempt, WHAT="site") == 0
    assert act("deploy", attempt=2) == 1
    assert act("upload-pages", attempt=2, WHAT="site", NAME="github-pages-2") == 0
    assert act("deploy", attempt=2, NAME="github-pages-2") == 0


def test_the_deployment_that_comes_last_is_served(act):
    """Also when its run is the older one."""
    for run, content in (("6", "newer"), ("5", "older")):
        put(act, site__index=content)
        assert act("upload-pages", WHAT="site", GITHUB_RUN_ID=run) == act("deploy", GITHUB_RUN_ID=run) == 0
    assert (act.pages / "site" / "index").read_text() == "older"
