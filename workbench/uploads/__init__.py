"""Files of a case: received within bounds, hashed, recognised, stored under names of our own."""
