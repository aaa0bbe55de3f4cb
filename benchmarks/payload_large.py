"""Large parcels to a worker and back."""

from benchmarks._suite import _Suite


class PayloadLarge(_Suite):
    """Variants of ``payload_large``."""

    scenario = "payload_large"
    params = (
        ("threads", "processes_fork", "processes_spawn", "joblib", "interpreters"),
        ("quick", "standard", "article"),
    )
    version = "1"
    rounds = 2
    most_samples = 3
