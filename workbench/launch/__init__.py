"""The start command: everything between `make up` and the printed address, and the way back down.

`install.py` builds `.venv` and runs before anything is installed; the other modules run inside it.
"""
