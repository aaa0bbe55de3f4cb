"""The main job: select what to time, plan it, cut it into shards, run it; and doctor."""
