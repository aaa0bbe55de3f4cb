"""Claims about ratios of cases: the claims file, decisions, and the claim board."""
