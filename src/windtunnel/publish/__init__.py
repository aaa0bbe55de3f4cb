"""The site: pages, their data, badges and plots."""
