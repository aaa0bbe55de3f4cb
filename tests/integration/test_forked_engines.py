"""Engines that tests fork (builders/engines.py) do what those that the product starts do."""

import os

from windtunnel.asv import engine_session
from windtunnel.asv.engine_session import start_process
from windtunnel.asv.protocol import Describe, Place, to_line

STARTED = start_process
"""The start of the product; when this module is imported, no test has another one yet."""


def test_forked_engines_answer_and_end_as_started_ones(tmp_path):
    """The same events, log and exit code; each leads a session, in which what it leaves is found."""
    told = []
    for start in (STARTED, engine_session.start_process):
        for request in (b"{}\n", to_line(Describe(place=Place(config=str(tmp_path / "asv.conf.json"))))):
            with (tmp_path / "log").open("w+b") as log:
                engine = start(os.environ, log)
                leads = os.getsid(engine.pid) == engine.pid
                with engine.stdin as stdin, engine.stdout as stdout:
                    stdin.write(request)
                    stdin.flush()
                    events = stdout.read()
                code = engine.wait(60)
                log.seek(0)
                told.append((leads, events, code, log.read()))
    started, forked = told[:2], told[2:]
    assert forked == started
    assert [(leads, code) for leads, _, code, _ in forked] == [(True, 3), (True, 0)]
    assert b"Broken" in forked[1][1]
