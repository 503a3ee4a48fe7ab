"""Gathers the fixes of a product from a clone of its repository into `diagnostics/vocabulary/later_fixes`.

    python -m tests.knowledge.fix_history PRODUCT CLONE [--announcements FLINK_WEB] [--within CLONE]

PRODUCT is an entry of `later_fixes.yaml`, CLONE holds its history with the tags of its releases (or, where the product
has `published`, with the branches of its releases, which may come from several forks), and FLINK_WEB is a clone of the
project's web site, whose announcements list the issues of Flink's patch releases: those that it lists as bugs are
faults whatever their commits say, and have the title of the issue. A product that is inside the JAR of another program
needs a clone of that one: its releases are what the file then has. A change without an issue or pull request of its own
(but for products `by_commit`), without a title that tells of a fault, or of many classes is left out. Fixes that a
clone without the tags of all releases does not date are kept as the file has them.
"""

from __future__ import annotations

import argparse
import csv
import html
import re
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from diagnostics.vocabulary.known_bug import FLINK, Release, release_of
from diagnostics.vocabulary.later_fix import FOLDER, Around, LaterFix, Product, fix_file, products

MOST_CLASSES = 6
"""Classes of a change. Our choice: one that touches more is a redesign, and says little of a single method."""
MOST_CLASSES_OF_A_BUG = 12
"""The same for an issue that the project calls a bug. Our choice: patch releases have no redesigns."""
MOST_METHODS = 12
"""Methods of one class, the first of the change. Our choice, for the same reason."""
TELLS_OF_A_FAULT = re.compile(
    r"\b(?:fix\w*|bug|avoid\w*|prevent\w*|npe|null\s?pointer\w*|\w*exception|\w*error|leak\w*|wrong\w*|incorrect\w*|fail\w*"
    r"|dead-?lock|race|lost|los[es]|loss|missing|missed|stuck|hangs?|block\w*|duplicat\w*|invalid|should|never|correct\w*"
    r"|not|cannot|can't|doesn't|overflow|ensure|compatib\w*|incompatib\w*|unexpected\w*|handle|properly|unable|crash\w*"
    r"|infinite|forever|oom|corrupt\w*|stale|ignore[sd]?|supports? connecting)\b",
    re.IGNORECASE,
)
TELLS_OF_THE_PROJECT = re.compile(
    r"\b(?:tests?|e2e|\w*ITCase|\w+Test|\w+TestBase|docs?|documentation|documented|checkstyle|javadocs?|typos?"
    r"|spelling|refactor\w*|clean ?up"
    r"|bump|ci|licen[cs]e|notice|azure|github actions?|spotless|archunit|unused|rename|deprecated?|examples?"
    r"|benchmark\w*|revert|website|release notes?|build|rat|minor|code ?style|comments?|scalastyle|maven|pom|logs?"
    r"|whitespace|logging|message|flaky|instable|unstable|travis)\b",
    re.IGNORECASE,
)
ISSUE = re.compile(r"\b(?!BRANCH-)([A-Z][A-Z]{2,9}-\d{1,6})\b")
PULL_REQUEST = re.compile(r"\(#(\d{1,6})\)\s*$")
PULL_REQUESTS = re.compile(r"(?:\s*\(?#\d{1,6}\)?)+\s*$")
"""What stands behind a title: its pull requests, of a change that was ported back two."""
TAGS = re.compile(r"^(?:\s*(?:\[[^\]]{1,60}\]|\([\w/-]{1,30}\)|[A-Z]{3,9}-\d{1,6})[:.,]?)+\s*")
"""What stands before a title: `[FLINK-1][runtime] `."""
METHOD = re.compile(
    r"\b(?!(?:if|for|while|switch|catch|return|super|new|throw|synchronized|assert|match|case)\b)([A-Za-z_$][\w$]*)\s*\("
)
DIGITS_OF_A_COMMIT = 10
OLDEST = {"flink": (1, 6, 0)}
"""The first release whose fixes count: the log events begin with Flink 1.5, and a fix that all have is none."""
TYPE = re.compile(r"\b(?:class|interface|enum|object|trait)\s+\w")
OF_A_TEST = re.compile(
    r"(?:^|/)(?:src/test|src/it|test|tests|[\w-]*-tests?|[\w-]*-e2e[\w-]*)/|(?:Tests?|ITCase|TestBase)\.\w+$"
)
ANNOUNCED = re.compile(r"release-?(?:announcement-)?(\d+\.\d+\.\d+)\.md$")
LISTED = re.compile(
    r"\[(?:<a[^>]{0,200}>|\[)?(FLINK-\d{1,6})(?:</a>|\]\([^)]{0,200}\))?\]\s{0,20}(?:-\s{0,20})?([^\n]{0,400})"
)
"""An issue and its title, in the forms that announcements have had."""
HEADING = re.compile(r"(?m)^\s{0,8}(?:<h[2-4]>|#{2,4}|\*\*)\s{0,20}(Bug|[A-Z][\w -]{2,60})")


@dataclass(slots=True)
class Issue:
    """An issue of Flink as announcements list it: its title, the patch releases with it, whether it is a bug."""

    title: str
    is_bug: bool
    releases: set[Release] = field(default_factory=set)


@dataclass(slots=True)
class Change:
    """What the commits of one issue changed: its title, the first release of each line with it, methods by class."""

    name: str
    title: str
    releases: set[Release] = field(default_factory=set)
    methods: dict[str, dict[str, None]] = field(default_factory=dict)


def git(clone: Path, *arguments: str) -> str:
    """Output of a command of git. Raises CalledProcessError."""
    command = ["git", "-C", str(clone), *arguments]
    return subprocess.run(command, capture_output=True, check=True, encoding="utf-8", errors="replace").stdout


def releases_of_commits(clone: Path, product: Product) -> tuple[list[str], dict[str, Release]]:
    """The tags, or commits, of the releases, and for each commit the first release that has it."""
    named = [
        (match, f"refs/tags/{tag}") for tag in git(clone, "tag").split() if (match := re.fullmatch(product.tags, tag))
    ]
    if product.published:
        subjects = (
            line.partition(" ") for line in git(clone, "log", "--all", "--reverse", "--format=%H %s").splitlines()
        )
        named += [
            (match, commit) for commit, _, subject in subjects if (match := re.fullmatch(product.published, subject))
        ]
    ends = {release: end for match, end in named if (release := release_of(".".join(match.groups())))}
    first: dict[str, Release] = {}
    before: list[str] = []
    for release in sorted(ends):
        for commit in git(clone, "rev-list", ends[release], "--not", *before).split():
            first.setdefault(commit, release)
        before.append(ends[release])
    return before, first


def commits(clone: Path, tags: list[str]) -> Iterator[tuple[str, str, dict[str, dict[str, None]]]]:
    """Id, title, and changed methods by class, with its package, of each commit of the releases."""
    with tempfile.NamedTemporaryFile("w", suffix=".gitattributes") as attributes:
        attributes.write("*.java diff=java\n*.scala diff=java\n")
        attributes.flush()
        command = [
            "git",
            "-c",
            f"core.attributesFile={attributes.name}",
            "-C",
            str(clone),
            "log",
            "--no-merges",
            "-p",
            "-U0",
        ]
        command += ["--no-color", "--no-ext-diff", "--format=%x01%H%x02%s", *tags, "--", "*.java", "*.scala"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8", errors="replace") as reading:
            assert reading.stdout is not None
            commit, title, methods, name = "", "", dict[str, dict[str, None]](), None
            for line in reading.stdout:
                if line.startswith("\x01"):
                    if methods:
                        yield commit, title, methods
                    commit, _, title = line[1:].rstrip("\n").partition("\x02")
                    methods, name = {}, None
                elif line.startswith(("+++ b/", "--- a/")):
                    name = class_of(line[6:].strip())
                    if name:
                        methods.setdefault(name, {})
                elif name and line.startswith("@@"):
                    place = line.rpartition("@@")[2]
                    if not TYPE.search(place) and (found := METHOD.search(place)):
                        methods[name][found[1]] = None
            if methods:
                yield commit, title, methods


def class_of(path: str) -> str | None:
    """The class of a file of the product, with its package; None for a test's."""
    start = re.search(r"(?:^|/)(?:java|scala)/(?=(?:org|com|io|software)/)", path)
    if start is None or OF_A_TEST.search(path):
        return None
    return path[start.end() :].rpartition(".")[0].replace("/", ".")


def changes(clone: Path, product: Product, issues: Mapping[str, Issue]) -> Iterator[Change]:
    """The fixes by issue or pull request, in the order of their history, the latest first."""
    tags, first = releases_of_commits(clone, product)
    found: dict[str, Change] = {}
    for commit, title, methods in commits(clone, [*tags, "HEAD"] if issues else tags):
        named = ISSUE.search(title) or PULL_REQUEST.search(title)
        name = named[1] if named else commit[:DIGITS_OF_A_COMMIT] if product.by_commit else None
        if name is None or (commit not in first and name not in issues):
            continue
        own = {each: listed for each, listed in methods.items() if product.has(each)}
        change = found.setdefault(name, Change(name, title))
        change.releases |= {first[commit]} if commit in first else set()
        for each, listed in own.items():
            change.methods.setdefault(each, {}).update(listed)
    for change in found.values():
        issue = issues.get(change.name)
        is_bug = issue is not None and issue.is_bug
        words = issue.title if issue and is_bug else PULL_REQUESTS.sub("", TAGS.sub("", change.title)).strip()
        told = (is_bug or TELLS_OF_A_FAULT.search(words)) and not TELLS_OF_THE_PROJECT.search(words)
        most = MOST_CLASSES_OF_A_BUG if is_bug else MOST_CLASSES
        if told and 0 < len(change.methods) <= most and any(change.methods.values()):
            change.title = words
            change.releases |= issue.releases if issue else set()
            yield change


def announced(web_site: Path) -> dict[str, Issue]:
    """The issues that the announcements of Flink's patch releases list."""
    found: dict[str, Issue] = {}
    for path in git(web_site, "ls-tree", "-r", "--name-only", "HEAD").split("\n"):
        named = ANNOUNCED.search(path)
        if named is None or "/posts/" not in path or "operator" in path or "cdc" in path:
            continue
        release = release_of(named[1])
        if release is None or not release[2]:
            continue
        text = git(web_site, "show", f"HEAD:{path}")
        headings = [(each.start(), each[1]) for each in HEADING.finditer(text)]
        for listed in LISTED.finditer(text):
            above = [heading for place, heading in headings if place < listed.start()]
            title = html.unescape(re.sub(r"<[^>]{1,200}>", "", listed[2])).strip()
            issue = found.setdefault(listed[1], Issue(title, False))
            issue.is_bug |= bool(above) and above[-1] == "Bug"
            issue.releases.add(release)
    return found


def releases_inside(clone: Path, within: Around) -> dict[Release, Release]:
    """Release of a program -> the release of the product inside, by the property of its pom.xml, in order."""
    stated = re.compile(rf"<{re.escape(within.property)}>(\d+\.\d+\.\d+)")
    found: dict[Release, Release] = {}
    for tag in git(clone, "tag").split():
        match = re.fullmatch(within.tags, tag)
        inside = stated.search(git(clone, "show", f"{tag}:pom.xml")) if match else None
        if match and inside and (release := release_of(".".join(match.groups()))) and (has := release_of(inside[1])):
            found[release] = has
    return dict(sorted(found.items()))


def carriers_of(fix: LaterFix, inside: Mapping[Release, Release]) -> set[Release]:
    """The releases of the program around that have a fix; none where all of them have it."""
    having = {release for release, has in inside.items() if fix.is_in(has)}
    return having if len(having) < len(inside) else set()


def fixes_of(product: str) -> dict[str, dict[str, str]]:
    """Change -> its row in a product's file, in their order; none without a file."""
    if not fix_file(product).exists():
        return {}
    with fix_file(product).open(encoding="utf-8", newline="") as file:
        return {row["change"]: row for row in csv.DictReader(file)}


def first_of_each_line(releases: set[Release]) -> list[Release]:
    """The first release of each line."""
    lines: dict[tuple[int, int], Release] = {}
    for release in sorted(releases):
        lines.setdefault(release[:2], release)
    return list(lines.values())


def printed(methods: dict[str, dict[str, None]]) -> str:
    """`Class.method` by a space, with the class's name alone where no method of it is known."""
    named: list[str] = []
    for name, listed in methods.items():
        simple = name.rpartition(".")[2]
        named += [f"{simple}.{method}" for method in list(listed)[:MOST_METHODS]] or [simple]
    return " ".join(named)


def main() -> None:
    """Writes the file of a product."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("product", choices=sorted(products()))
    parser.add_argument("clone", type=Path)
    parser.add_argument("--announcements", type=Path)
    parser.add_argument("--within", type=Path)
    given = parser.parse_args()
    product = products()[given.product]
    issues = announced(given.announcements) if given.announcements else {}
    of_flink = fixes_of(FLINK) if product.from_flink else {}
    inside = releases_inside(given.within, product.within) if product.within else None
    rows = fixes_of(product.name)
    for change in changes(given.clone, product, issues):
        dated = rows.get(change.name, {}).get("releases", "").split()
        released = first_of_each_line(change.releases | {each for text in dated if (each := release_of(text))})
        if inside is not None:
            fix = LaterFix(product, change.name, change.title, tuple(released), frozenset())
            released = first_of_each_line(carriers_of(fix, inside))[:1]
        if released and released[-1] >= OLDEST.get(product.name, released[-1]) and change.name not in of_flink:
            rows[change.name] = {
                "change": change.name,
                "title": change.title,
                "releases": " ".join(".".join(map(str, each)) for each in released),
                "methods": printed(change.methods),
            }
    FOLDER.mkdir(exist_ok=True)
    with fix_file(product.name).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, ("change", "title", "releases", "methods"), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows.values())
    print(f"{product.name}: {len(rows)} fixes")


if __name__ == "__main__":
    main()
