"""``machine.json``: what a machine is."""

from windtunnel.asv.results_format.header import fields, version_of
from windtunnel.asv.results_format.problems import Decoded, decoded
from windtunnel.asv.results_format.text import UnreadableError, dumps_pretty, loads, object_in
from windtunnel.model.environment import Machine
from windtunnel.model.identity import MachineName


def decode_machine(content: bytes, source: str) -> Decoded[Machine]:
    """Return the machine that a ``machine.json`` describes."""
    return decoded(source, lambda _: _read(content, source))


def encode_machine(machine: Machine) -> bytes:
    """Return the ``machine.json`` of *machine*, laid out and sorted as asv does."""
    details = {detail.name: loads(detail.json) for detail in machine.details}
    return dumps_pretty(details | {"machine": machine.name, "version": 1}).encode()


def _read(content: bytes, source: str) -> Machine:
    data = object_in(content)
    version_of(data, newest=1)
    del data["version"]
    name = data.pop("machine", None)
    if not isinstance(name, str) or not name:
        raise UnreadableError(f"is {name!r:.60}, not the name of a machine", "machine")
    return Machine(name=MachineName(name), details=fields({"": data}, ""), source=source)
