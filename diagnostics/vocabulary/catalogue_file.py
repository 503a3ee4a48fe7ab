"""Reads the catalogues of this folder, each one file of data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from diagnostics.yaml_document import YamlDocument, read_yaml

FOLDER = Path(__file__).parent


def catalogue(name: str) -> Any:
    """The content of a YAML file of this folder. Raises InvalidRule naming the line when the file is invalid."""
    return catalogue_document(name).content


def catalogue_document(name: str) -> YamlDocument:
    """The same with the lines of its entries."""
    return read_yaml((FOLDER / name).read_text("utf-8"), name)
