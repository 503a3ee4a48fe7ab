"""Logs at memory speed: lines and record heads found with numpy, known events with Hyperscan and RE2."""
