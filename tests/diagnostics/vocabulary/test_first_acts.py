"""What a page says to do first is the first sentence of a remedy."""

from __future__ import annotations

import re

import pytest

from diagnostics.vocabulary.message_remedies import message_remedies
from diagnostics.wording.phrase import split_sentences

VERBS = frozenset(
    re.findall(
        "[a-z]+",
        """
    acknowledge add allow answer append ask assign authorise begin bound bring build call cancel cast change
    check chmod choose clear close coalesce commit compare compile connect convert copy correct create declare
    define delete do drop enable end enlarge evict exclude export fetch filter find free get give grant have
    hold implement insert install join keep key leave let limit load look lower make map match merge mount move
    name open order package pass print put quote raise read rebuild reduce register remove rename renew repair
    replace restart restore retry return roll run see select send set ship shorten size split spread start state
    stop submit sum switch synchronise tag take try type upgrade use wait watch widen wrap write
        """,
    )
)
"""What a clause that names an act begins with, in the texts of today."""
BETWEEN_CLAUSES = re.compile(r"[:;,()]|\b(?:and|or)\b")
OWES = re.compile(r"\b(?:must|needs?|has to|have to|may not)\b")


@pytest.mark.parametrize(
    "remedy",
    [pytest.param(each.remedy, id=each.id) for each in message_remedies() if len(split_sentences(each.remedy)) > 1],
)
def test_the_first_sentence_of_a_remedy_names_an_act(remedy: str) -> None:
    first = split_sentences(remedy)[0]
    begins = {words[0].lower() for clause in BETWEEN_CLAUSES.split(first) if (words := clause.split())}
    assert OWES.search(first) or VERBS & begins, first
