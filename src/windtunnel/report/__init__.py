"""Values in, text out: everything that a person reads is worded here."""
