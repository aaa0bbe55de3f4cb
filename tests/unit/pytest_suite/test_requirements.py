"""What is installed beside the project comes from the project's own dependencies."""

import pytest

from windtunnel.errors import ConfigurationError
from windtunnel.pytest_suite.requirements import find_requirements


def requirements(where, pyproject="", named=(), tests="", **contents):
    (where / "pyproject.toml").write_text(pyproject, encoding="utf-8")
    for name, text in contents.items():
        (where / f"{name}.txt").write_text(text, encoding="utf-8")
    return find_requirements(where, named, tests)


GROUPS = """
[dependency-groups]
bench = ["pytest-benchmark>=5", {include-group = "test"}]
dev = [{include-group = "bench"}, "ruff"]
test = ["hypothesis"]
docs = ["sphinx"]
"""


def test_the_smallest_group_with_the_plugin_is_taken(tmp_path):
    """Those for tests are taken as well; pytest is always there."""
    found = requirements(tmp_path, GROUPS)
    assert found.lines == ("pytest", "pytest-benchmark>=5", "hypothesis")
    assert found.origin == "bench, test"


def test_an_extra_with_the_plugin_is_an_extra_of_the_wheel(tmp_path):
    """Its requirements may name the project itself."""
    found = requirements(tmp_path, '[project.optional-dependencies]\ntest = ["pytest-codspeed"]\ndocs = ["sphinx"]')
    assert (found.lines, found.extras) == (("pytest",), ("test",))
    group = '[project]\nname = "spam_egg"\n[dependency-groups]\nb = ["pytest-benchmark", "spam-egg[fast, all]>=1"]'
    found = requirements(tmp_path, group)
    assert (found.lines, found.extras) == (("pytest", "pytest-benchmark"), ("fast", "all"))


def test_an_extra_that_the_tests_mention_is_installed(tmp_path):
    """The project imports it only where it is used."""
    pyproject = GROUPS + '[project.optional-dependencies]\nfast = ["ujson>=5"]\nslow = ["pyyaml"]\nall = ["a", "b"]'
    assert requirements(tmp_path, pyproject, tests="from p.preconf import ujson").extras == ("fast",)


def test_files_of_requirements_are_read_with_those_that_they_name(tmp_path):
    """The project itself is left out: it would be installed from the work tree, on both commits."""
    found = requirements(
        tmp_path,
        **{
            "requirements": "-r requirements-test.txt\n-e .\n",
            "requirements-test": "pytest-benchmark==5.1 # measures\n\n# a comment\n-c pins.txt\n.\n",
        },
    )
    assert found.lines == ("pytest", "pytest-benchmark==5.1", f"-c {tmp_path.resolve() / 'pins.txt'}")
    assert found.origin == "requirements-test.txt"


def test_the_shortest_file_for_tests_is_read_and_the_project_is_not_installed_from_it(tmp_path):
    """A file that pins everything may pin the project too, in a version that is not built."""
    (tmp_path / "requirements").mkdir()
    files = {
        "constraints": "pytest-codspeed\n",
        "test": "pytest-codspeed==1\nspam_eggs==3\nx\ny\n",
        "test-all": "pytest-codspeed\na\nb\nc\nd\n",
    }
    (tmp_path / "requirements" / "test.in").write_text("pytest-codspeed\n")  # test.txt has its pins
    for name, text in files.items():
        (tmp_path / "requirements" / f"{name}.txt").write_text(text)
    found = requirements(tmp_path, '[project]\nname = "spam-eggs"\n')
    assert found.origin == "requirements/test.txt"
    assert found.lines == ("pytest", "pytest-codspeed==1", "x", "y")


@pytest.mark.parametrize(
    "table",
    [
        '[tool.pdm.dev-dependencies]\nb = ["pytest-benchmark"]',
        '[tool.hatch.envs.b]\nextra-dependencies = ["pytest-benchmark"]',
        '[tool.poetry.dev-dependencies]\npytest-benchmark = { version = "*" }',
    ],
)
def test_groups_of_other_tools_are_read(tmp_path, table):
    """They are older than dependency groups."""
    assert requirements(tmp_path, table).lines == ("pytest", "pytest-benchmark")


def test_versions_of_poetry_are_written_as_pip_reads_them(tmp_path):
    """A caret is no operator of pip; a package in a folder has no version."""
    wanted = (
        'pytest-benchmark = "^5.1"\na = "1.2"\nb = { version = "~1", extras = ["c"] }\nd = ">=1,<3"\ne = { path = "e" }'
    )
    found = requirements(tmp_path, f"[tool.poetry.group.b.dependencies]\n{wanted}")
    assert found.lines == ("pytest", "pytest-benchmark>=5.1", "a==1.2", "b>=1", "d>=1,<3")


def test_a_group_that_has_what_the_tests_import_is_taken(tmp_path):
    """The shortest one; what the project depends on is there already."""
    more = '[project]\nname = "spam"\ndependencies = ["egg"]\n[project.optional-dependencies]\n'
    more += 'fixtures = ["dirty-equals", "x"]\nall = ["dirty-equals", "egg", "x", "pytest"]\ncode = ["pytest-codspeed"]'
    tests = "import pytest, os\nimport egg, spam\nfrom dirty_equals import IsStr\ntry: import pytest_codspeed"
    assert requirements(tmp_path, GROUPS + more, tests=tests).extras == ("code", "fixtures")


def test_the_settings_name_others(tmp_path):
    """A group, an extra or a file."""
    assert requirements(tmp_path, GROUPS, ["docs"]).lines == ("pytest", "sphinx")
    assert requirements(tmp_path, GROUPS, ["more.txt"], more="numpy").lines == ("pytest", "numpy")
    with pytest.raises(ConfigurationError, match=r"names 'perf', which is neither .* there are bench, dev, test, docs"):
        requirements(tmp_path, GROUPS, ["perf"])


def test_groups_that_include_each_other_end(tmp_path):
    """uv refuses them; here they have no further lines."""
    pyproject = '[dependency-groups]\na = ["pytest-benchmark", {include-group = "b"}]\nb = [{include-group = "a"}]'
    assert requirements(tmp_path, pyproject).lines == ("pytest", "pytest-benchmark")
