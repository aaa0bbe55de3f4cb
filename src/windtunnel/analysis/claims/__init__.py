"""Claims: sentences about cases, read from a file, and what a results tree makes of them (docs/claims.md)."""
