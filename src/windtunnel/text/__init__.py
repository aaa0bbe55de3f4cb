"""Formats numbers and escapes text, for terminals and Markdown."""
