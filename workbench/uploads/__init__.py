"""Files of a case: received within bounds, hashed, recognised, and stored under generated names."""
