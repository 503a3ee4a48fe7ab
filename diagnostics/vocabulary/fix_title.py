"""The failure that the title of a fix describes, and whether another one agrees with it.

A change of the code that fails is no repair of the failure by itself: it may speed the code up, reword its messages,
or repair another failure of it. A title mostly names what went wrong, and that a failure shows as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

WORD = re.compile(r"[A-Z]{2,}(?![a-z])|[A-Z]?[a-z]{2,}")
ENDINGS = re.compile(r"(?:ing|ed|es|s)$")
SAME_WORD = {"npe": ("null", "pointer"), "oom": ("memory", "out"), "cce": ("class", "cast")}
"""Short forms in titles, as the words of the exception that they mean."""


def words_of(text: str) -> frozenset[str]:
    """The words of a text, of names too, in lower case and without endings: `splitId` is `split` and `id`."""
    found = (each.lower() for each in WORD.findall(text))
    whole = (part for each in found for part in SAME_WORD.get(each, (each,)))
    return frozenset(ENDINGS.sub("", each) if len(each) > 4 else each for each in whole if len(each) > 2)


OF_EVERY_FIX = words_of(
    "and for the when with from not that this into are was has have but may can could should does did will would after"
    " before fix bug avoid prevent exception error fail failure java org apache flink com caused runtime throw wrong"
    " incorrect invalid illegal argument state"
)
"""Words that say nothing of one fault."""

PART = r"(?i)^(?:\[[^\]]{1,60}\] ?|[a-z][\w ./-]{0,30}: ?|fix(?:es)? )*+"
"""What stands before a title: the part of the product that it is about, and that it is a fix."""
OF_MESSAGES = re.compile(
    PART + r"(?:(?:show|print|display|expose|report(?! NPE)|log|hint|warn|silent \w*exception|add warn\w*"
    r"|(?:improve|enhance)\b.{1,60}\b(?:messages?|msg|warnings?|exceptions?|logs?)"
    r"|(?:do not|don't|only|avoid to) (?:warn|print|show|log|report)|use \w+Exception"
    r"|throws? (?:(?:an?|the|better|proper|meaningful|helpful|clear\w*|more) ){0,3}\w*(?:error|exception)"
    r"|fail (?:if|when|fast|on)|add (?:a )?(?:check|validation)|validate|verify)\b|\w+ exception types$)"
    r"|\bshould (?:throw (?:an? )?(?:meaningful|readable|helpful|better|\w*Exception)|set the underlying"
    r"|fail (?:on|if|when))|\bwrong .{1,60} (?:page|display)|\bbefore throwing\b"
    r"|\b(?:throws away|hides|swallows?) the (?:exception|cause)|\bmore helpful\b|\b(?:specify|set) the cause\b"
    r"|\b(?:become|becomes|turned into) \w+Exception\b"
)
"""Titles of changes of messages, logs, displays and checks: the failure comes with them, too, or comes from them."""
OF_UPKEEP = re.compile(
    PART + r"(?:cache|clean ?up|generalize|introduce|optimi[sz]e|refactor|rename|simplify|speed up|tidy|reformat"
    r"|backfill|formatting|check ?style|style|typo|replace"
    r"|avoid (?:extra|unnecessary|repeated|redundant))\b"
    r"|\bcheck ?style\b|\bpost-rebase fixup\b|\breadability\b|\btypos?\b"
)
"""Titles of changes that make code faster or easier to read."""
WITHOUT_FAILURE = re.compile(
    r"(?i)\b(?:(?:wrong|incorrect|inaccurate) (?:results?|values?|data|metrics?|kind)|data ?loss|loss of data"
    r"|(?:data|timers?|records?) lost|lost (?:data|timers?|records?)|los(?:e|ing) (?:data|records?)|duplicat\w+|leaks?"
    r"|leaking|leaked|dead ?locks?|lock-up|hangs?|stuck|metrics?|race conditions?|performance"
    r"|(?:not|doesn't|isn't) (?:take effect|effective)|no effect|ineffective|busy wait)\b"
)
"""What goes wrong without an exception, as titles name it; an exception that comes of it names it too."""
FAILS = re.compile(r"(?i)exception|error|fail|throw|crash|null|\bNPE\b|overflow|bounds")
"""Words with which a title says that something failed."""
NAMED = re.compile(
    r"\b[A-Za-z]\w{3,80}?(?=(?:Exception|Error)\b)|(?i:\b(?:npe|oom|cce)s?\b|\bnull ?point\w*|\bstack ?over ?flow\w*"
    r"|\bclass ?cast\w*|\bout ?of ?memory\w*|\b(?:array ?)?index ?out ?of ?bounds?\w*|\bconcurrent ?modification\w*)"
)
"""How titles name the exception that they repair."""
SHORT = {"npe": "nullpointer", "oom": "outofmemory", "cce": "classcast"}
OF_A_CLASS = re.compile(
    r"(?:ClassNotFoundException|NoClassDefFoundError|NoSuchMethodError|NoSuchFieldError|AbstractMethodError"
    r"|IncompatibleClassChangeError|IllegalAccessError|VerifyError|LinkageError|ExceptionInInitializerError"
    r"|InvalidClassException|NotSerializableException|InaccessibleObjectException)$"
)
"""Exceptions whose message names the class that is wrong: the code that met it is not."""
CLASS_NAME = re.compile(r"(?:[\w$]+[./])+([A-Z][\w$]*)")
HEAD = re.compile(r"(?m)^(?:[\w$]{1,100}\.){1,30}[\w$]{1,100}(?=:|$)")
"""How a line of a chain begins: with the class of its exception."""
SENTENCE_END = re.compile(r"[.!?]\s|\n")
METHOD = re.compile(r"\b([A-Z]\w{2,80})[.#]([a-z]\w{2,80})\b(?!\.)")
"""A method that a title names: the one that failed."""
REPORTING = re.compile(
    r"^(?:check\w*(?:Err|Exception|Flush)\w*|rethrow\w*|handle\w*(?:Exception|Failure|Error|Timeout)|failJob"
    r"|notify\w*(?:Timeout|Missing\w*|Lost)|onMissing\w*|toJobExecutionResult|executeJobBlocking|main|callMainMethod"
    r"|runApplicationEntryPoint|invokeCallMethod|abort\w*|enrich\w*|disconnect\w*|completeExceptionally"
    r"|checkArgument|checkNotNull|checkState|clean|deserializeObject|newThread|translateException)$"
)
"""Methods that only pass on or report what failed elsewhere, or test what their caller hands in. Our choice, by the
methods of Flink and its connectors that resolved incidents have on top.
"""


def names_exception(title: str) -> bool:
    """Whether a title names an exception."""
    return NAMED.search(title) is not None


def reports(method: str) -> bool:
    """Whether a method of this name only reports or passes on a failure, or tests what its caller hands in."""
    return REPORTING.match(method) is not None


@dataclass(frozen=True)
class Failure:
    """What a failure says: its exceptions and messages, `class: message` on each line, and where it failed."""

    said: str
    frames: tuple[str, ...] = ()

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of its exceptions and messages."""
        return words_of(self.said)

    @cached_property
    def exceptions(self) -> frozenset[str]:
        """The simple names of its exceptions without their ending, in lower case."""
        heads = (each.partition(":")[0].strip().rpartition(".")[2] for each in self.said.split("\n"))
        return frozenset(re.sub(r"(?:Exception|Error)$", "", each).lower() for each in heads if " " not in each)

    @cached_property
    def wrong_class(self) -> str | None:
        """The simple name of the class that it says to be missing or unfit, empty if it names none; else None."""
        heads = [each.partition(":") for each in self.said.strip().split("\n")]
        named = [message for name, _, message in heads if OF_A_CLASS.search(name.strip())]
        if not named:
            return None
        found = CLASS_NAME.search(named[-1])
        return found[1].rpartition("$")[2] if found else ""

    def agrees_with(self, title: str) -> bool:
        """Whether nothing in the title of a fix says that it is about something else.

        What the title names must be there: its exception, its method where the class is that which failed, and what
        goes wrong without an exception. Titles of upkeep and of messages repair no failure.
        """
        if OF_MESSAGES.search(title) or OF_UPKEEP.search(title):
            return False
        if self.wrong_class is not None and (not self.wrong_class or self.wrong_class not in title):
            return False
        named = NAMED.findall(title)
        silent = [] if named else [words_of(each[0]) - OF_EVERY_FIX for each in WITHOUT_FAILURE.finditer(title)]
        if silent and not any(each & self.words for each in silent):
            return False
        return self._shows(named) and self._passes(METHOD.findall(title))

    @cached_property
    def innermost(self) -> str:
        """Its last exception with the message."""
        last = max((each.start() for each in HEAD.finditer(self.said)), default=0)
        return self.said[last:].strip()

    @cached_property
    def quotable(self) -> frozenset[str]:
        """The words of the first sentence of its innermost message that its exception's class does not have, too."""
        name, _, message = self.innermost.partition(":")
        return words_of(SENTENCE_END.split(message.strip(), maxsplit=1)[0]) - words_of(name) - OF_EVERY_FIX

    def is_bare_for(self, title: str) -> bool:
        """Whether it has no message, so that only its place shows what went wrong, and a title says that it failed."""
        message = self.innermost.partition(":")[2].strip()
        is_bare = message in ("", "null") or message.lstrip("-").isdigit()
        return is_bare and FAILS.search(title) is not None

    def _shows(self, exceptions: Iterable[str]) -> bool:
        """Whether one of the exceptions that a title names is there, or it names none."""
        named = [re.sub(r"[^a-z]", "", each.lower()) for each in exceptions]
        named = [SHORT.get(each.rstrip("s"), each).removesuffix("exception").removesuffix("error") for each in named]
        own = [each for each in self.exceptions if each]
        return not named or any(a in b or b in a for a in named for b in own if len(b) > 3)

    def _passes(self, methods: Iterable[tuple[str, str]]) -> bool:
        """Whether of the methods that a title names none is another one of a class that failed."""
        passed = {tuple(re.split(r"[.$]", each)[-2:]) for each in self.frames}
        classes = {part for each in self.frames for part in re.split(r"[.$]", each)[:-1]}
        named = [(name, method) for name, method in methods if name in classes and f"{name}{method}" != name]
        return not named or any(each in passed for each in named)
