"""What holds for every request and every answer: bounds, headers, and pages for faults of the machine."""
