"""The places where a job's trouble would show, and whether the evidence covers each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from diagnostics.diagnosis.fact_view import FactView, SignalIndex
from diagnostics.diagnosis.missing import needs
from diagnostics.evidence.subject import Subject
from diagnostics.language import in_reader_language, joined_sentences, say, to_say
from diagnostics.vocabulary.catalogue_file import catalogue
from diagnostics.vocabulary.stored_words import in_reader_words
from diagnostics.wording.phrase import enumeration
from diagnostics.yaml_document import with_translations


@dataclass(frozen=True, slots=True)
class Place:
    """A place where trouble shows, from `vocabulary/troubles.yaml`.

    needs  the kind of evidence that shows it best
    also   further kinds that show it
    """

    what: str
    facts: tuple[str, ...]
    needs: str
    also: tuple[str, ...] = ()
    essential: bool = False
    harmless: tuple[str, ...] = ()
    by_design: tuple[str, ...] = ()
    loud: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class LookedAt:
    """A place, whether any of its facts was measured, and what was seen there that is harmless, with what to do about
    it if somebody wanted something by it.

    by_design  sentences about what the job does by design and people take for a trouble
    is_loud    whether something was counted there that is no quiet, though no cause follows from it
    """

    place: Place
    was_read: bool
    harmless: tuple[str, ...] = ()
    by_design: tuple[str, ...] = ()
    is_loud: bool = False

    @property
    def evidence(self) -> str:
        """The kind of evidence that shows it."""
        return in_reader_language(needs()[self.place.needs].what)


@cache
def places() -> tuple[Place, ...]:
    """Every place, in the order in which people examine them."""
    entries = catalogue("troubles.yaml").values()
    return tuple(
        Place(
            with_translations(entry["what"], entry, "what"),
            tuple(entry["facts"]),
            entry["needs"],
            tuple(entry.get("also", ())),
            entry.get("essential", False),
            tuple(entry.get("harmless", ())),
            tuple(entry.get("by_design", ())),
            tuple(entry.get("loud", {}).items()),
        )
        for entry in entries
    )


def looked_at(index: SignalIndex, job: str | None) -> tuple[LookedAt, ...]:
    """Each place with whether it was measured for this job."""
    view = index.view(Subject(job=job), "job", reach_down=True)
    return tuple(
        LookedAt(
            place,
            any(view(fact) is not None for fact in place.facts),
            _harmless(place, view),
            _by_design(place, view),
            any(_reaches(view(fact), bound) for fact, bound in place.loud),
        )
        for place in places()
    )


def _reaches(value: object, bound: float) -> bool:
    return isinstance(value, int | float) and value >= bound


def _harmless(place: Place, view: FactView) -> tuple[str, ...]:
    stated = [value for fact in place.harmless if isinstance(value := view(fact), list | tuple)]
    if not stated:
        return ()
    what, *advice = ([in_reader_language(str(each)) for each in value] for value in stated)
    return (say("; ").join(what), *(sentence for each in advice for sentence in each))


def _by_design(place: Place, view: FactView) -> tuple[str, ...]:
    stated = [in_reader_words(fact, view(fact)) for fact in place.by_design]
    return tuple(str(each) for value in stated if isinstance(value, list | tuple) for each in value)


def is_blind(looked: Sequence[LookedAt]) -> bool:
    """Whether a place was not read without which nobody can say that the job is well."""
    return any(each.place.essential and not each.was_read for each in looked)


def evidence_of_most(looked: Sequence[LookedAt]) -> str | None:
    """The kind of evidence that shows most of the places that were not read, the essential ones first. None when every
    essential place was read.
    """
    unread = [each.place for each in looked if not each.was_read]
    if not is_blind(looked):
        return None
    kinds = dict.fromkeys(kind for place in unread for kind in (place.needs, *place.also))

    def shown(kind: str) -> tuple[int, int]:
        places = [place for place in unread if kind in (place.needs, *place.also)]
        return sum(place.essential for place in places), len(places)

    return max(kinds, key=shown)


def describe_quiet(looked: Sequence[LookedAt], remark: str = "") -> str:
    """A sentence for a job without trouble: the places without trouble, and those without evidence.

    remark  what was noticed beside; it is stated alone where no place was read
    """
    quiet = enumeration([in_reader_language(each.place.what) for each in looked if each.was_read and not each.is_loud])
    unread = enumeration([in_reader_language(each.place.what) for each in looked if not each.was_read], to_say("or"))
    if not quiet and remark:
        return joined_sentences((say("These files do not show whether the job is well."), remark))
    if not quiet:
        return say("These files hold nothing in which trouble of a job could be seen.")
    nothing = say("They hold nothing about {places}.", places=unread) if unread else ""
    if is_blind(looked):
        well = say("These files do not show whether the job is well.")
        return joined_sentences((well, nothing, say("Nothing stands out in {places}.", places=quiet)))
    calm = say(
        "Nothing alarming was found in {places}, but the evidence does not suffice to call the job healthy.",
        places=quiet,
    )
    return joined_sentences((calm, nothing))
