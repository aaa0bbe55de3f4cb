"""Pythons have the names of asv and uv, and missing ones are reported."""

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
def test_a_python_has_asvs_name(implementation, version, variant, spec):
    """asv.conf.json, uv and Windtunnel use the same name for a Python."""
    assert spec_of(implementation, version, variant) == spec


def test_specs_are_sorted_by_version():
    """3.9 is before 3.11, a free-threaded build after its sibling, PyPy last."""
    assert sorted(["pypy3.11", "3.14t", "3.9", "3.14", "3.11"], key=spec_order) == [
        "3.9",
        "3.11",
        "3.14",
        "3.14t",
        "pypy3.11",
    ]


def test_absent_pythons_are_returned():
    """Missing specs are returned once, in the order of the request."""
    here = (an_interpreter("3.11"), an_interpreter("3.13"))
    present, absent = split_by_presence(["3.14t", "3.13", "3.11", "pypy3.11", "3.13"], here)
    assert [interpreter.spec for interpreter in present] == ["3.13", "3.11"]
    assert absent == ("3.14t", "pypy3.11")


def test_uv_takes_an_exact_version():
    """It means the Python of that version alone."""
    _, absent = split_by_presence(["3.11.1", "3.11.2"], (an_interpreter("3.11"),))
    assert absent == ("3.11.2",)


@pytest.mark.parametrize(("variable", "root"), [("PYENV_ROOT", ""), ("HOME", ".pyenv/")])
def test_version_managers_come_before_shims(tmp_path, variable, root):
    """pyenv's shims start nothing unless a version is activated, so its interpreters replace them."""
    real = tmp_path / f"{root}versions/3.12.1/bin"
    real.mkdir(parents=True)
    path = f"{tmp_path}/{root}shims:/usr/bin"
    assert search_path({variable: str(tmp_path), "PATH": path}).split(":") == [str(real), "/usr/bin"]


def test_path_is_unchanged_without_a_version_manager():
    """PATH is searched as it is."""
    assert search_path({"PATH": "/shims:/usr/bin"}) == "/shims:/usr/bin"
