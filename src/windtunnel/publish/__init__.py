"""The site of a results tree: our overview page and asv's own pages, replaced as a whole."""
