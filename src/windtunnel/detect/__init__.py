"""Change points in histories, grouped into events; alerts and their life cycle."""
