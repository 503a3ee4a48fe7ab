"""What many cases say together: which are alike, what came back, how long things take."""
