"""A program that keeps one processor busy until it is killed: the first of those that it may use."""

import os

from windtunnel_scenarios.support.servers import print_port_number

if __name__ == "__main__":
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    print_port_number(0)
    while True:
        pass
