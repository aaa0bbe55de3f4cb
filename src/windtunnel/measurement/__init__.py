"""The nouns of measuring, frozen: what a benchmark, a case, a result, a run, a machine is (docs/glossary.md)."""
