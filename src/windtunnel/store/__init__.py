"""Results kept on a branch that many jobs push to at once: ``pull``, ``push``, ``import_``, ``compact``."""
