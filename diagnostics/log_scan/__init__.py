"""Fast log scanning: lines and record heads with numpy, known events with Hyperscan and RE2."""
