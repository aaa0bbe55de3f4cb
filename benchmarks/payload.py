"""Small parcels to a worker and back."""

from benchmarks._suite import _Suite


class Payload(_Suite):
    """Variants of ``payload``."""

    scenario = "payload"
    params = (
        ("threads", "processes_fork", "processes_spawn", "joblib", "interpreters"),
        ("quick", "standard", "article"),
    )
    version = "1"
    rounds = 2
    most_samples = 3
