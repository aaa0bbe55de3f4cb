"""Coverage-guided fuzzing of the codec for asv's files.

    uv run --with atheris==3.0.0 python -m studies.fuzzing -runs=100000

Options are libFuzzer's. Ends with a traceback and leaves the file that caused it as ``crash-…`` when a rule is broken.
atheris is no dependency of the project: it has no wheels for every Python that the tests run on.
"""

import sys
from random import Random

import atheris

with atheris.instrument_imports(include=["windtunnel.asv.results_format", "windtunnel.results"]):
    from tests.fuzz.mutations import SEEDS, mutated
    from tests.fuzz.rule import RULES

KINDS = tuple(SEEDS)


def mutate(data, size, seed):
    """Change a file: by its values, by its tokens, or as libFuzzer sees fit. The first byte says what kind it is."""
    random = Random(seed)
    if len(data) < 2 or random.random() < 0.05:
        kind = random.randrange(len(KINDS))
        return bytes([kind]) + SEEDS[KINDS[kind]]
    if random.random() < 0.3:
        return data[:1] + atheris.Mutate(data[1:], max(size - 1, 1))
    return data[:1] + mutated(bytes(data[1:]), random)[: size - 1]


def one(data):
    """Hold one file against the rule for its kind."""
    if data:
        RULES[KINDS[data[0] % len(KINDS)]](bytes(data[1:]))


def main():
    """Fuzz until libFuzzer's options say stop."""
    atheris.Setup([*sys.argv, "-max_len=20000"], one, custom_mutator=mutate)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
