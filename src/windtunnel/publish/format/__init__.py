"""The data files of the site: a public contract, described in docs/explanation/site.md.

A change that breaks readers raises the number in the *schema* field of the file.
"""
