"""The values of a results folder as columns, read anew only where files have changed."""
