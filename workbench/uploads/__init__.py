"""Files of a case: received within limits, hashed, recognised, and stored under generated names."""
