"""Tests for windtunnel.asv.callgrind."""

from windtunnel.asv.callgrind import SKIP_SYMBOLS, CompiledFunction, parse_costs, parse_trampolines, python_instructions

FILE = """# callgrind format
version: 1
pid: 7
cmd:  python bench.py
desc: Trigger: Program termination
positions: line
events: Ir
summary: 190

ob=(1) /usr/lib/libpython3.13.so.1.0
fl=(1) ???
fn=(1) list_contains
0 30
+2 12
cfn=(2) PyObject_RichCompare
calls=5 0
* 40

fn=(2)
0 40

ob=(2) ???
fl=(1)
fn=(3) 0x0000000004a8c010
0 7
cob=(1)
cfn=(1)
calls=3 0
0 82
0 1

fn=(4) 0x0000000004a8c110
0 100
totals: 190
"""


def test_own_instructions_exclude_those_of_callees():
    """The line after `calls=` is what the callee took."""
    costs = parse_costs(FILE)
    contains = CompiledFunction("list_contains", "/usr/lib/libpython3.13.so.1.0")
    assert costs.instructions[contains] == 42
    assert costs.instructions[CompiledFunction("0x0000000004a8c010", "???")] == 8
    assert costs.calls[contains] == 3


def test_names_are_written_once_and_then_numbered():
    """Numbers of functions and of libraries are independent."""
    compared = CompiledFunction("PyObject_RichCompare", "/usr/lib/libpython3.13.so.1.0")
    costs = parse_costs(FILE)
    assert (costs.instructions[compared], costs.calls[compared]) == (40, 5)


def test_trampolines_name_functions_and_files():
    """Lines of other symbols are ignored; a file may hold a colon."""
    text = "4a8c010 1b py::Parser.parse:/src/p:kg/mod.py\n4a8c110 1b py::<lambda>:/src/mod.py\nffff 10 libc_symbol\n"
    assert parse_trampolines(text) == {
        0x4A8C010: ("Parser.parse", "/src/p:kg/mod.py"),
        0x4A8C110: ("<lambda>", "/src/mod.py"),
    }


def test_compiled_code_without_a_symbol_counts_for_the_python_function_that_calls_it():
    """A stub of the linker has none."""
    found, unknown = python_instructions(parse_costs(FILE), {0x4A8C010: ("parse", "mod.py")})
    assert found == {("parse", "mod.py"): 8 + 82}
    assert unknown == 0


def test_code_without_a_symbol_that_calls_python_functions_is_counted_apart():
    """A compiled library without symbols may call back, and its cost has no owner."""
    inner = "fn=(4)\n0 100\ncob=(2)\ncfn=(3)\ncalls=1 0\n0 90\n"
    found, unknown = python_instructions(
        parse_costs(FILE.replace("fn=(4)", "fn=(9) x") + inner), {0x4A8C010: ("p", "m")}
    )
    assert found == {("p", "m"): 90}
    assert unknown == 100


def test_symbols_are_skipped_except_those_that_callgrind_cannot_skip():
    """A C name begins with a letter or an underscore; an address does not."""
    first = {option.removeprefix("--fn-skip=").removesuffix("*") for option in SKIP_SYMBOLS}
    assert {"P", "m", "_P", "__", "_sa"} <= first
    assert not any("_dl_runtime_resolve".startswith(each) or "_start".startswith(each) for each in first)


def test_damaged_files_have_no_costs():
    """A process that was killed leaves half a file."""
    assert not parse_costs("fn=(1)\nnothing\n= =\n").instructions


def test_a_name_with_a_line_break_changes_no_other_line():
    """Code may give a function any name."""
    assert sum(parse_costs("fn=(1) py::bad\n5 name\n0 7\ncalls=many\n").instructions.values()) == 7
    assert parse_trampolines("4a8c010 1b py::bad\nname py::again:x\n4a8c110 1b py::good:/src/mod.py\n") == {
        0x4A8C010: ("bad", ""),
        0x4A8C110: ("good", "/src/mod.py"),
    }
