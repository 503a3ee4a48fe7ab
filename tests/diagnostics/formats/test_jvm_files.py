"""GC logs, thread dumps and collapsed stacks beyond their samples."""

from __future__ import annotations

from pathlib import Path

import pytest

from diagnostics.evidence.rows import Rows
from diagnostics.formats import FORMATS, recognise
from diagnostics.notation.file_range import Range
from tests.diagnostics.formats.reading_aids import head_of, read

GC = FORMATS["gc-log"]
DUMP = FORMATS["thread-dump"]
COLLAPSED = FORMATS["collapsed-stacks"]


@pytest.mark.parametrize(
    ("line", "kind", "cause", "pause_ms"),
    [
        ("[gc] GC(3) Pause Young (Mixed) (G1 Evacuation Pause) 9M->3M(46M) 1.5ms", "mixed", "G1 Evacuation Pause", 1.5),
        (
            "[gc] GC(3) Pause Young (Normal) (G1 Evacuation Pause) (Evacuation Failure) 9M->9M(9M) 2.5ms",
            "young",
            None,
            2.5,
        ),
        (
            "[gc] GC(3) Pause Initial Mark (G1 Evacuation Pause) 80M->80M(128M) 6.187ms",
            "young",
            "G1 Evacuation Pause",
            6.187,
        ),
        ("[gc] GC(3) Pause Remark 121M->121M(128M) 0.837ms", "remark", None, 0.837),
        ("[gc] GC(3) Pause Cleanup 121M->121M(128M) 0.1ms", "cleanup", None, 0.1),
        ("[gc] GC(3) Pause Full (System.gc()) 4M->2M(26M) 130.148ms", "full", "System.gc()", 130.148),
        (
            "[gc] GC(3) Pause Degenerated GC (Outside of Cycle) 119M->56M(124M) 11.373ms",
            "full",
            "Outside of Cycle",
            11.373,
        ),
        ("[gc] GC(3) Pause Final Mark (unload classes) 0.277ms", "remark", "unload classes", 0.277),
        ("[gc,phases] GC(3) Y: Pause Relocate Start 0,679ms", "cleanup", None, 0.679),
        ("[gc] GC(3) Concurrent Mark Cycle 12.5ms", "concurrent", None, 12.5),
        ("[gc] GC(3) Major Collection (Warmup) 100M(5%)->50M(2%) 0.064s", "concurrent", "Warmup", 64.0),
    ],
)
def test_pauses_of_every_collector(line: str, kind: str, cause: str | None, pause_ms: float, tmp_path: Path) -> None:
    found = read(GC, f"[2026-11-21T00:52:35.866+0100][1.5s][info]{line}\n", tmp_path)
    rows = found.rows["gc_pause"]
    assert [(row["kind"], row["pause_ms"], row["gc_id"]) for row in rows] == [(kind, pause_ms, 3)]
    assert cause is None or rows[0]["cause"] == cause
    assert rows[0]["ts_ms"] == 1795218755866, "00:52:35.866 at +01:00 is 23:52:35.866 UTC of the day before"
    assert found.coverage[-1].utc_offset_min == 60


@pytest.mark.parametrize(
    "line",
    [
        "[gc,start] GC(3) Pause Young (Normal) (G1 Evacuation Pause)",
        "[gc,phases] GC(3) Concurrent Mark 5.216ms",
        "[gc,phases] GC(3)   Pre Evacuate Collection Set: 0.0ms",
        "[gc,cpu] GC(3) User=0.01s Sys=0.00s Real=0.08s",
        '[safepoint] Safepoint "Cleanup", Time since last: 1 ns',
    ],
)
def test_lines_that_are_no_pause_of_their_own(line: str, tmp_path: Path) -> None:
    assert not read(GC, f"[1.5s][info]{line}\n", tmp_path).rows.get("gc_pause")


def test_a_gc_log_may_be_read_in_parts(tmp_path: Path) -> None:
    first = "[0.1s][info][gc] Using Serial\n[1.0s][info][gc] GC(0) Pause Full (Allocation Failure) 9M->3M(46M) 1.5ms\n"
    second = "[2.0s][info][gc] GC(1) Pause Full (Allocation Failure) 9M->3M(46M) 2.5ms\n"
    path = tmp_path / "gc.log"
    path.write_text(first + second)
    size = len(first + second)
    rows = []
    for start, end in ((0, len(first)), (len(first), size)):
        for given in GC.read(Range(0, "gc.log", str(path), start, end, size)):
            if isinstance(given, Rows) and given.table == "gc_pause":
                rows.append(given.batch.to_pylist() if given.batch is not None else list(given.rows))
    assert [[(row["gc_id"], row["line"], row["collector"]) for row in part] for part in rows if part] == [
        [(0, 2, "Serial")],
        [(1, 1, "Serial")],
    ]


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("gc/flink-root-taskexecutor-0-vm-gc.log", "taskmanager"),
        ("taskmanager-1/gc.log", "taskmanager"),
        ("logs/jobmanager/tm-and-jm/flink-standalonesession-gc.log", "jobmanager"),
        ("gc.log", None),
    ],
)
def test_whose_gc_log_it_is_comes_from_the_name(name: str, role: str | None, tmp_path: Path) -> None:
    assert read(GC, "[0.1s][info][gc] Using Serial\n", tmp_path, name).coverage[0].role == role


def test_a_dump_of_an_old_jvm_has_no_states(tmp_path: Path) -> None:
    text = (
        "Full thread dump Java HotSpot(TM) 64-Bit Server VM (1.5.0_13-b05 mixed mode):\n\n"
        '"worker "a" 1" daemon prio=1 tid=0x0000002ac6c9b0a0 nid=0x57f8 in Object.wait() [0x00..0x01]\n'
        "\tat java.lang.Object.wait(Native Method)\n\tat com.acme.A.run(A.java:341)\n"
    )
    rows = read(DUMP, text, tmp_path).rows["stack_sample"]
    assert [(row["thread"], row["state"], row["ts_ms"]) for row in rows] == [('worker "a" 1', None, None)]


def test_a_cut_dump_keeps_what_it_has(tmp_path: Path) -> None:
    text = 'Full thread dump X:\n\n"main" #1 prio=5\n\tat com.acme.A.b(A:1)\n\tat com.ac'
    rows = read(DUMP, text, tmp_path).rows["stack_sample"]
    assert rows[0]["frames"] == ["com.ac", "com.acme.A.b"]


FRAMES = "\tat com.acme.Parser.parse\n\tat com.acme.Reader.read(Reader.java:7)\n"


@pytest.mark.parametrize(
    ("head", "thread", "state"),
    [
        ('"Window(Custom) (1/1)" RUNNABLE', "Window(Custom) (1/1)", "RUNNABLE"),
        ('"KeyBy merchant (1/4)" Id=71 RUNNABLE', "KeyBy merchant (1/4)", "RUNNABLE"),
        ('"x" #12 prio=5 RUNNABLE', "x", "RUNNABLE"),
        ('"x" #12 [4711] daemon prio=5 tid=0x1 nid=0x2 RUNNABLE', "x", "RUNNABLE"),
        ('"x" daemon prio=5 TIMED_WAITING (sleeping)', "x", "TIMED_WAITING"),
        ('"x" Id=71 cpuUsage=99.2% deltaTime=200ms time=81ms RUNNABLE', "x", "RUNNABLE"),
        ('"x" Id=71 BLOCKED on java.lang.Object@1f owned by "y" Id=72', "x", "BLOCKED"),
        ('"x"\n   java.lang.Thread.State: BLOCKED (on object monitor)', "x", "BLOCKED"),
        ("   java.lang.Thread.State: RUNNABLE", None, "RUNNABLE"),
        ("java.lang.Thread.State: WAITING (parking)", None, "WAITING"),
    ],
)
@pytest.mark.parametrize("above", ["", "2026-11-21 01:33:25\nFull thread dump OpenJDK 64-Bit Server VM (17):\n\n"])
def test_a_copied_piece_of_a_dump_is_read_like_the_whole(
    head: str, thread: str | None, state: str, above: str, tmp_path: Path
) -> None:
    text = above + f"{head}\n{FRAMES}\n" * 2
    assert recognise(head_of(text, "pasted.txt")).format_id == DUMP.id
    rows = read(DUMP, text, tmp_path).rows["stack_sample"]
    named = [thread or f"unnamed thread at line {row['line']}" for row in rows]
    assert [(row["thread"], row["state"]) for row in rows] == [(name, state) for name in named]
    assert len(rows) == 2
    assert all(row["frames"] == ["com.acme.Reader.read", "com.acme.Parser.parse"] for row in rows)
    assert {row["ts_ms"] for row in rows} == {1795224805000 if above else None}


def test_unnamed_threads_of_a_dump_are_told_apart(tmp_path: Path) -> None:
    """Locks are followed by the names of their holders: two threads of one name would be a deadlock of one."""
    text = f"java.lang.Thread.State: BLOCKED\n{FRAMES}java.lang.Thread.State: RUNNABLE\n{FRAMES}"
    rows = read(DUMP, text, tmp_path).rows["stack_sample"]
    assert [row["thread"] for row in rows] == ["unnamed thread at line 1", "unnamed thread at line 4"]


@pytest.mark.parametrize(
    "text",
    [
        f"java.lang.IllegalStateException: not open\n{FRAMES}",
        f'java.lang.IllegalStateException: "x" RUNNABLE\n{FRAMES}Caused by: java.io.IOException: y\n{FRAMES}',
        f'java.lang.IllegalStateException: stuck\n{FRAMES}"x" RUNNABLE\n{FRAMES}',
        f'Exception in thread "main" java.lang.RuntimeException: x\n{FRAMES}',
        '"status" RUNNABLE\n"other" BLOCKED\n',
        '"x" RUNNABLE\n  at noon\n',
        "   java.lang.Thread.State: RUNNABLE\n",
    ],
)
def test_an_exception_or_a_mere_state_is_no_piece_of_a_dump(text: str) -> None:
    assert recognise(head_of(text, "pasted.txt")).format_id != DUMP.id


@pytest.mark.parametrize(
    ("name", "text", "mode"),
    [
        ("tm-0-wall.collapsed", "main;a.B.c 1\n", "wall"),
        ("cpu.txt", "main;a.B.c 1\n", "cpu"),
        ("wallet-service.txt", "main;a.B.c 1\n", "unknown"),
        ("x.txt", "main;a.B.c 1\nGC;jdk.internal.misc.Unsafe.park 1\n", "wall"),
    ],
)
def test_the_mode_of_collapsed_stacks(name: str, text: str, mode: str, tmp_path: Path) -> None:
    assert {row["mode"] for row in read(COLLAPSED, text, tmp_path, name).rows["stack_sample"]} == {mode}


def test_lines_that_are_no_stacks_are_counted(tmp_path: Path) -> None:
    found = read(COLLAPSED, "main;a.B.c 1\nno count here\n;; \nmain;a.B.d x\n", tmp_path)
    assert len(found.rows["stack_sample"]) == 1
    assert found.coverage[0].not_understood == 3
