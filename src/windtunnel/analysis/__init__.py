"""What numbers mean: noise, verdicts, change points to alerts, claims; pure."""
