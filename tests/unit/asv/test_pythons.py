"""Pythons are named as asv and uv name them, and the absent are never dropped in silence."""

from pathlib import Path

import pytest

from windtunnel.asv.pythons import Interpreter, search_path, spec_of, spec_order, split_by_presence


def an_interpreter(spec):
    return Interpreter(spec=spec, version=f"{spec}.1", path=Path(f"/pythons/{spec}/bin/python"))


@pytest.mark.parametrize(
    ("implementation", "version", "variant", "spec"),
    [
        ("cpython", "3.12.1", "default", "3.12"),
        ("cpython", "3.14.0", "freethreaded", "3.14t"),
        ("pypy", "3.11.13", "default", "pypy3.11"),
        ("cpython", "3.15.0a2", "default", "3.15"),
    ],
)
def test_a_python_is_called_what_asv_calls_it(implementation, version, variant, spec):
    """asv.conf.json, uv and we mean the same Python by a spec."""
    assert spec_of(implementation, version, variant) == spec


def test_specs_sort_as_people_expect():
    """3.9 before 3.11, free-threaded behind its sibling, PyPy at the end."""
    assert sorted(["pypy3.11", "3.14t", "3.9", "3.14", "3.11"], key=spec_order) == [
        "3.9",
        "3.11",
        "3.14",
        "3.14t",
        "pypy3.11",
    ]


def test_absent_pythons_are_named():
    """What was asked for and is not here comes back by name, in the order asked, once."""
    here = (an_interpreter("3.11"), an_interpreter("3.13"))
    present, absent = split_by_presence(["3.14t", "3.13", "3.11", "pypy3.11", "3.13"], here)
    assert [interpreter.spec for interpreter in present] == ["3.13", "3.11"]
    assert absent == ("3.14t", "pypy3.11")


def test_version_managers_come_before_shims(tmp_path):
    """pyenv's shims start nothing unless a version is activated; its real interpreters stand in their place."""
    real = tmp_path / "versions" / "3.12.1" / "bin"
    real.mkdir(parents=True)
    path = f"{tmp_path}/shims:/usr/bin"
    assert search_path({"PYENV_ROOT": str(tmp_path), "PATH": path}).split(":") == [str(real), "/usr/bin"]


def test_path_stays_where_no_version_manager_is():
    """Without one, PATH is searched as it is."""
    assert search_path({"PATH": "/shims:/usr/bin"}) == "/shims:/usr/bin"
