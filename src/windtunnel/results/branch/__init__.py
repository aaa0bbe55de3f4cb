"""The results branch: pull, push, import, compact."""
