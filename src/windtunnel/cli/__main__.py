"""``python -m windtunnel.cli``, for environments without the ``windtunnel`` script."""

import sys

from windtunnel.cli import entry

if __name__ == "__main__":
    sys.exit(entry())
