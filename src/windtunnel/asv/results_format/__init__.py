"""Reading and writing of asv's results files: bytes in, frozen values out, and back."""
