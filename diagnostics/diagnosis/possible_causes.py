"""What the possible causes of a stored document are called, by whether anything in its files shows trouble."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from diagnostics.language import say
from diagnostics.symptoms import UNEXPLAINED


def are_frequencies(document: Mapping[str, Any]) -> bool:
    """Whether no finding and no error speaks for any of the causes: the shares are those of resolved incidents."""
    seen = any(each["severity"] != "info" or each["symptom_class"] == UNEXPLAINED for each in document["findings"])
    return not seen and all(step["factor"] <= 1 for each in document.get("hypotheses", ()) for step in each["steps"])


def causes_heading(document: Mapping[str, Any]) -> str:
    """The heading of the list."""
    return say("Possible causes, if the job is in trouble") if are_frequencies(document) else say("Possible causes")


def causes_note(document: Mapping[str, Any]) -> str:
    """What the shares are, and what they are worth."""
    if are_frequencies(document) and document["findings"]:
        return say(
            "What was noticed in these files proves none of them: the shares are how often resolved incidents had each"
            " cause."
        )
    if are_frequencies(document):
        return say(
            "Nothing in these files speaks of trouble, so this is no reason to look for one of them: it is how often"
            " resolved incidents had each cause."
        )
    return say(
        "No cause could be judged. How often resolved incidents had each cause, times what speaks for and against it"
        " here."
    )


def split_heading(document: Mapping[str, Any]) -> str:
    """What the one file to add is for; empty where there is none."""
    if not document.get("split"):
        return ""
    what = document["split"]["what"]
    if are_frequencies(document):
        return say("To see whether the job is well, add: {what}", what=what)
    return say("To tell the first two apart, add: {what}", what=what)
