"""Servers that techniques run as processes of their own."""
