"""Reading and writing of asv's results format: bytes in, frozen values out, and back.

Nothing here touches a disk. Whatever cannot be used becomes a Problem; the rest is used.
"""

from windtunnel.asvjson.benchmarks import decode_benchmarks, encode_benchmarks
from windtunnel.asvjson.machines import decode_machine, encode_machine
from windtunnel.asvjson.names import long_run_file, machine_folder, run_files
from windtunnel.asvjson.problems import Decoded
from windtunnel.asvjson.reading import RunDecoder, decode_run
from windtunnel.asvjson.rows import LazyRows, starts
from windtunnel.asvjson.writing import encode_run

__all__ = [
    "Decoded",
    "LazyRows",
    "RunDecoder",
    "decode_benchmarks",
    "decode_machine",
    "decode_run",
    "encode_benchmarks",
    "encode_machine",
    "encode_run",
    "long_run_file",
    "machine_folder",
    "run_files",
    "starts",
]
