"""Log layouts that administrators add to the shipped ones."""
