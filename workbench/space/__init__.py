"""What takes the disk, case by case, and the page on which administrators make room."""
