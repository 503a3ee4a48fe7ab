"""Conditions on log records, evaluated for all records of a batch at once.

One scan searches all texts of the conditions; a condition combines masks over the records. Evaluating record by record
took a third of the processor time of reading a log.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING

from diagnostics.notation.constant_text import ConstantTexts

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    Mask = npt.NDArray[np.bool_]

TEXTS = ("message", "reason", "exception_class", "exception_message", "root_cause_class", "root_cause_message")
BEGINNING = "beginning of the message"
READ = (*TEXTS, "level", "logger", "process", "event", "state_to")


class SearchedTexts:
    """Texts that one scan searches together."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.texts = sorted(set(texts))
        self.find_in_values = ConstantTexts([text.encode() for text in self.texts]).find_in_values


class Records:
    """Rows of `log_record`, with the columns in READ, and the searched texts in each."""

    def __init__(self, rows: pa.RecordBatch | pa.Table, searched: SearchedTexts) -> None:
        import pyarrow as pa

        self._searched = searched
        self.count = rows.num_rows
        table = pa.table(rows) if isinstance(rows, pa.RecordBatch) else rows
        self._columns = {name: table.column(name).combine_chunks() for name in READ}
        self._holds: dict[str, dict[str, Mask]] = {BEGINNING: {}}
        self._encoded: dict[str, tuple[list[str], npt.NDArray[np.int32]]] = {}
        for name in TEXTS:
            self._find(name)

    def nothing(self) -> Mask:
        """The mask of no record."""
        import numpy as np

        return np.zeros(self.count, bool)

    def hold_any(self, texts: Set[str], columns: Iterable[str]) -> Mask:
        """Records with one of the texts in one of the columns, or at the BEGINNING of the message."""
        found = self.nothing()
        for column in columns:
            for text in self._holds[column].keys() & texts:
                found |= self._holds[column][text]
        return found

    def are(self, column: str, fits: Callable[[str], bool]) -> Mask:
        """Records whose column is known and satisfies `fits`, evaluated once per distinct value."""
        import numpy as np

        if column not in self._encoded:
            encoded = self._columns[column].dictionary_encode()
            known = encoded.dictionary.to_pylist()
            places = encoded.indices.fill_null(len(known)).to_numpy(zero_copy_only=False)
            self._encoded[column] = known, places
        known, places = self._encoded[column]
        mask: Mask = np.array([*map(fits, known), False])[places]
        return mask

    def know(self, column: str) -> Mask:
        """Records whose column is known."""
        mask: Mask = self._columns[column].is_valid().to_numpy(zero_copy_only=False)
        return mask

    def _find(self, column: str) -> None:
        """Record the matches of the searched texts in a column."""
        import numpy as np

        numbers, rows, leads = self._searched.find_in_values(self._columns[column])
        self._holds[column] = {}
        for number in np.unique(numbers).tolist():
            chosen = numbers == number
            self._holds[column][self._searched.texts[number]] = self._mask(rows[chosen])
            if column == "message":
                self._holds[BEGINNING][self._searched.texts[number]] = self._mask(rows[chosen & leads])

    def _mask(self, rows: npt.NDArray[np.int64]) -> Mask:
        mask = self.nothing()
        mask[rows] = True
        return mask


@dataclass(frozen=True, slots=True)
class Marks:
    """Necessary condition of a record: one of the texts in its head line, or one of the events.

    Both are empty when only records with an exception can fulfil it.
    events  patterns of ids of the catalogue; `*` is a wildcard
    """

    texts: frozenset[str] = frozenset()
    events: frozenset[str] = frozenset()

    def __or__(self, other: Marks) -> Marks:
        return Marks(self.texts | other.texts, self.events | other.events)


@dataclass(frozen=True, slots=True)
class RecordCondition:
    """A condition on records, combined by `&`, `|` and `~`. Of those that `&` combines, the rarest is the first.

    holds  records -> mask of those that fulfil it
    texts  texts that it searches
    marks  necessary condition of a record that fulfils it; None when any record may
    """

    holds: Callable[[Records], Mask]
    texts: frozenset[str] = frozenset()
    marks: Marks | None = None

    def __and__(self, other: RecordCondition) -> RecordCondition:
        marks = other.marks if self.marks is None else self.marks
        return RecordCondition(lambda them: self.holds(them) & other.holds(them), self.texts | other.texts, marks)

    def __or__(self, other: RecordCondition) -> RecordCondition:
        marks = None if self.marks is None or other.marks is None else self.marks | other.marks
        return RecordCondition(lambda them: self.holds(them) | other.holds(them), self.texts | other.texts, marks)

    def __invert__(self) -> RecordCondition:
        return RecordCondition(lambda them: ~self.holds(them), self.texts)


def in_message(*texts: str) -> RecordCondition:
    """Records whose message contains one of the texts."""
    return _condition_on_texts(texts, "message")


def message_starts(*texts: str) -> RecordCondition:
    """Records whose message starts with one of the texts."""
    return _condition_on_texts(texts, BEGINNING)


def in_any_text(*texts: str) -> RecordCondition:
    """Records in which one of the columns in TEXTS contains one of the texts."""
    return _condition_on_texts(texts, *TEXTS)


def _condition_on_texts(texts: Iterable[str], *columns: str) -> RecordCondition:
    searched = frozenset(texts)
    return RecordCondition(lambda them: them.hold_any(searched, columns), searched, Marks(texts=searched))


def has_event(*patterns: str) -> RecordCondition:
    """Records of one of the catalogued events; `*` is a wildcard."""
    expressions = [re.escape(pattern).replace(r"\*", ".*") for pattern in patterns]
    fits = re.compile("|".join(expressions)).fullmatch
    return RecordCondition(
        lambda them: them.are("event", lambda event: fits(event) is not None), marks=Marks(events=frozenset(patterns))
    )


def is_known(column: str) -> RecordCondition:
    """Records whose column is known."""
    return RecordCondition(lambda them: them.know(column))


def equals(column: str, *values: str) -> RecordCondition:
    """Records whose column is one of the values."""
    return RecordCondition(lambda them: them.are(column, values.__contains__))


HAS_EXCEPTION = RecordCondition(
    lambda them: them.know("exception_class") | them.know("exception_message"), marks=Marks()
)
"""Records that print an exception, or the cause of a failure without its class."""
