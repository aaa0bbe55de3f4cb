"""What techniques open and measure with: loops, pools, servers, folders, the load generator."""
