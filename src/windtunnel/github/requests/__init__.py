"""What is asked of GitHub's REST interface and what its answers mean; nothing here opens a connection."""
