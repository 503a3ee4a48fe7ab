"""The systems that messages are sent to, one file for each."""
