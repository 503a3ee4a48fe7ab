"""Known bugs that failures match, with the release of the program that has them."""
