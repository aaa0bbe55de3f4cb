"""The command that starts an engine: it loads only the parts of asv that engines use, because that takes less time.

``import asv`` loads every command of asv's own command line and formats the help of each. An engine needs none of
them, and each command of Windtunnel that measures starts several engines.
"""

import importlib
import sys
from importlib.util import find_spec, module_from_spec

PLUGINS = {"conda": "", "git": "", "mercurial": "", "rattler": "rattler", "uv": "", "virtualenv": ""}
"""The plugins of asv 0.6.6 that define environments and repositories, in its order, each with the package it needs."""


def load_asv() -> None:
    """Load the package asv without its commands; a plugin that the suite names loads them."""
    spec = find_spec("asv")
    assert spec
    sys.modules["asv"] = module_from_spec(spec)
    for name, needed in PLUGINS.items():
        if not needed or find_spec(needed):
            importlib.import_module(f"asv.plugins.{name}")


if __name__ == "__main__":
    load_asv()
    from windtunnel.asv import engine

    sys.exit(engine.main())
