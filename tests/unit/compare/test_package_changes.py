"""Which packages moved between two runs, and what a search over them installs."""

from windtunnel.compare.bisect_format import PackageChange, find_package_changes, package_candidates, package_set

OLD = ("numpy==1.26.4", "pip==24.0", "Spam==1", "gone==3", "same==1")
NEW = ("numpy==2.0.0", "pip==25.0", "spam==2", "new_one==0.1", "same==1")
CHANGES = find_package_changes(OLD, NEW, "spam")


def test_packages_that_moved_came_or_went_are_found():
    """Not the project, whose commits are searched, and not the installer."""
    assert (
        PackageChange(name="gone", before="3"),
        PackageChange(name="new-one", after="0.1"),
        PackageChange(name="numpy", before="1.26.4", after="2.0.0"),
    ) == CHANGES


def test_each_set_moves_one_package_more():
    """The first set is that of the earlier run, the last that of the later one."""
    assert package_set(CHANGES, ()) == ("gone==3", "-new-one", "numpy==1.26.4")
    assert package_set(CHANGES, range(2)) == ("-gone", "new-one==0.1", "numpy==1.26.4")
    assert package_set(CHANGES, range(3)) == ("-gone", "new-one==0.1", "numpy==2.0.0")
    assert [one.subject for one in package_candidates(CHANGES)] == [
        "the packages of the earlier run",
        "gone 3 was removed",
        "new-one 0.1 was added",
        "numpy 1.26.4 to 2.0.0",
    ]


def test_text_that_an_installer_would_take_for_an_option_or_an_address_is_left_out():
    """Run records come from jobs that ran the project's code."""
    hostile = ("--index-url==1", "x==1 --pre", "https://evil.example/x==1", "x @ file:///==1", "x==", "==1", "a/b==1")
    assert find_package_changes((), hostile, "spam") == ()
