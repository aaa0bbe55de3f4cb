"""Numbers, tables and escaping, for terminal and Markdown."""
