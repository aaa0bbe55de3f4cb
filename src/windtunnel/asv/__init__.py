"""The only package that imports asv and asv_runner: configuration, results files, environments, the engine."""
