"""When a comparison is decided: cases that need no further turns, and the command that decides what is left."""

from __future__ import annotations

import math
import shlex
import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import pairwise

import numpy as np

from autoperf.comparison import ratios
from autoperf.comparison.compare import estimate, thresholds, turns_of
from autoperf.comparison.comparison import CHANGED, FALSE_DISCOVERIES, Comparison, ComparisonOptions, Verdict
from autoperf.comparison.figures import AS_MEASURED, Scale
from autoperf.comparison.noise import Stratum, stratum_of
from autoperf.comparison.pairs import Pair, pairs_of
from autoperf.core.events import CaseFinished, Event, Notice, Sink
from autoperf.core.machine import Reference
from autoperf.core.options import DEFAULT_PROCESSES, SIDE_MAX_TIME, seconds_of
from autoperf.core.outcome import Outcome, Status
from autoperf.core.texts import count
from autoperf.reports.progress import INTERVAL
from autoperf.reports.units import factor, one_line, profile_label, span
from autoperf.runs.runfile import Provenance


class InterimVerdicts:
    """A sink that judges each case once both sides have it; its notices go to another sink.

    The verdicts are of the case's own measurements: the comparison at the end knows the noise of all.
    """

    def __init__(self, options: ComparisonOptions, sink: Sink, clock: Callable[[], float] = time.monotonic) -> None:
        self._options = options
        self._sink = sink
        self._clock = clock
        self._written_at = clock()
        self._base: Outcome | None = None
        self._cases = 0
        self._verdicts: Counter[Verdict] = Counter()
        self._latest = ""

    def handle(self, event: Event) -> None:
        """Judges a case whose second side has finished."""
        if not isinstance(event, CaseFinished) or event.outcome.status is not Status.MEASURED:
            return
        base, new = self._base, event.outcome
        self._base = new if event.side == 0 else None
        if event.side == 0 or base is None or base.case != new.case:
            return
        entries = pairs_of(base, new, self._options, (AS_MEASURED, AS_MEASURED))
        pairs = [entry for entry in entries if isinstance(entry, Pair)]
        if event.replaced is None:
            self._cases += bool(pairs)
            self._verdicts.update(pair.counted(self._options).verdict for pair in pairs if pair.code)
        pairs = [pair for pair in pairs if not pair.code]
        if pairs:
            found, _ = estimate(pairs, in_turn=True)
            judged = ratios.verdicts(found, ratios.adjusted(found.p), thresholds(pairs, self._options))
            self._verdicts.update(judged)
            largest = int(np.argmax(np.abs(np.log(found.ratio))))
            verdict, pair, ratio = judged[largest], pairs[largest], float(found.ratio[largest])
            if verdict in CHANGED:
                name = f"{pair.operator} {profile_label(pair.profile)} {pair.pass_} {pair.clock.name}"
                change = f"{name} {factor(max(ratio, 1 / ratio))} times {verdict.value}"
                self._latest = one_line(f"; latest change: {change}")
        if self._cases and self._clock() - self._written_at >= INTERVAL:
            self._written_at = self._clock()
            counts = " + ".join(f"{self._verdicts[each]} {each.value}" for each in Verdict if self._verdicts[each])
            self._sink.handle(Notice(f"so far {count(self._cases, 'case')}: {counts}{self._latest}"))


CERTAIN = 0.001
"""The p value of a change that stays significant even among thousands of figures, whose number is known at the end."""
FALSE_SHARE = 0.5
"""Factor on the share of changes that earlier cases predict, since later cases may change less."""
MIN_EARLIER_FIGURES = 40
MAX_OBSERVED = 1000
"""The number of latest figures of a stratum from which the variance between pairs of processes is estimated."""


class EarlyStop:
    """Decides, after each look at a case, whether it needs no further turns.

    A figure that is the same needs none, nor does a changed figure whose p value will be significant among all figures
    of the comparison (`ratios.adjusted`). With a share s of changed figures, these are the p values up to s times 5%; s
    is estimated from the cases so far. The verdicts themselves are given by the whole comparison at its end.
    """

    def __init__(self, reference: Reference | None, options: ComparisonOptions, pairs: int) -> None:
        """`pairs` is the number of pairs of processes that a case has at most."""
        self._looks = ratios.looks_after(pairs)
        self._scale = Scale(reference, reference, in_turn=True)
        self._options = options
        # The numbers of figures, and of figures that have certainly changed: of earlier cases, and of the last look.
        self._earlier: Counter[str] = Counter()
        self._latest: Counter[str] = Counter()
        self._case = ""
        self._latest_pairs: list[tuple[Stratum, ratios.PairObservation]] = []
        self._observed: defaultdict[Stratum, deque[ratios.PairObservation]] = defaultdict(
            lambda: deque(maxlen=MAX_OBSERVED)
        )

    @property
    def certain(self) -> float:
        """The p value below which a change counts as certain."""
        if self._earlier["figures"] < MIN_EARLIER_FIGURES:
            return CERTAIN
        return max(CERTAIN, FALSE_SHARE * (self._earlier["changed"] / self._earlier["figures"]) * FALSE_DISCOVERIES)

    def is_decided(self, base: Outcome, new: Outcome) -> bool:
        """Whether each figure of an interleaved case is the same, or certainly changed; False between two looks."""
        if base.case != self._case:
            # The last look at the previous case counts as an earlier one.
            self._earlier.update(self._latest)
            self._case, self._latest = base.case, Counter()
            for stratum, observation in self._latest_pairs:
                self._observed[stratum].append(observation)
            self._latest_pairs = []
        entries = pairs_of(base, new, self._options, (self._scale, self._scale))
        is_measured = base.status is new.status is Status.MEASURED
        figures = [pair for pair in entries if isinstance(pair, Pair) and not pair.code] if is_measured else []
        # A figure needs samples of at least two pairs of processes.
        has_processes = all(len(pair.base.times) > 1 and len(pair.new.times) > 1 for pair in figures)
        if not has_processes or max((len(each.base.times) for each in figures), default=0) not in self._looks:
            return False
        # For later cases: the variances between pairs of processes.
        self._latest_pairs = [
            (stratum_of(pair), ratios.observe(turns))
            for pair in figures
            if ratios.has_enough_pairs(turns := turns_of(pair))
        ]
        variances = {stratum: ratios.estimate_variance(self._observed[stratum]) for stratum in map(stratum_of, figures)}
        estimated, _ = estimate(figures, in_turn=True, looks=ratios.MAX_LOOKS, variances=variances)
        judged = ratios.verdicts(estimated, estimated.p, thresholds(figures, self._options))
        is_certain: list[bool] = (estimated.p < self.certain).tolist()
        changed = [verdict in CHANGED and certain for verdict, certain in zip(judged, is_certain, strict=True)]
        self._latest = Counter(figures=len(figures), changed=sum(changed))
        return judged.count(Verdict.SAME) + sum(changed) == len(figures)


def deciding_command(comparison: Comparison) -> Iterator[tuple[str, str]]:
    """The command that measures the undecided cases of two builds longer, labelled with the time that it takes."""
    undecided = [figure for figure in comparison.cases if figure.verdict is Verdict.UNDECIDED]
    base, new = comparison.base_provenance, comparison.new_provenance
    words = _sides(base, new) if undecided and base and new else []
    if not words:
        return
    # The factor of turns after which each interval, shrunk by its square root, ends before the threshold.
    more = MIN_MORE
    for figure in undecided:
        own = MAX_MORE
        if 0 < figure.low < figure.high < math.inf:
            distance = abs(abs(math.log(figure.ratio)) - math.log1p(comparison.threshold_of(figure)))
            own = (math.log(figure.high / figure.low) / 2 / distance) ** 2 if distance else MAX_MORE
        more = min(MAX_MORE, max(more, own))
    # What the command that compared gave, or the defaults.
    given = shlex.split(base.command if base else "")
    split = [part for word in given for part in word.split("=", 1)] if "".join(given[1:2]) in _COMPARING else []
    values = dict(pairwise(split))
    seconds = seconds_of(values.get("--max-time", "")) or SIDE_MAX_TIME
    pairs = int(values.get("--processes", DEFAULT_PROCESSES))
    processes = max(pairs, min(MAX_PAIRS, math.ceil(math.sqrt(more) * pairs)))
    seconds *= more
    is_of_own_cases = not {"--cases", "--input"}.isdisjoint(_names_of(words))
    names = {name: dict.fromkeys(str(getattr(each, name)) for each in undecided) for name in ("operator", "profile")}
    profiles = [] if is_of_own_cases else ["--input-profile", ",".join(names["profile"])]
    # The command selects the cases of any undecided operator in any undecided profile.
    alike = {each.case for each in comparison.cases if all(getattr(each, name) in names[name] for name in names)}
    total = seconds_of_sides(len(alike), seconds, processes)
    command = [*words, "--operator", ",".join(names["operator"]), *profiles]
    command += ["--processes", f"{processes}", "--max-time", f"{seconds:g}s"]
    yield f"to decide, in about {span(total)} on an idle machine", shlex.join(command)


MIN_MORE, MAX_MORE = 2.0, 8.0
"""The least and the largest factor of turns by which undecided cases are measured again.

Half of it, as a root, are more processes, since each has its own layout of memory, and a kernel its own speed in it;
half are more turns of each. Of calls of 0.1 and 0.5 ms, five times as many turns in five processes gave intervals of
1.4% in place of 2.6%, eight times as many processes 1.5% in more time (docs/method/comparing.md).
"""
MAX_PAIRS = 40
"""The most processes of a side; each keeps 100 MB."""
TRIAL_SECONDS = 0.3
PROCESS_SECONDS = 0.05
USUAL_TURNS, LONGEST_TURNS = 0.1, 1.0
"""The seconds of the samples in 40 turns, which a process takes by default, and in 400, the most, of 2.5 ms each."""
PER_SAMPLE = 5.0
"""The time of a turn over that of its samples: iterations that aren't counted, and readings of the machine's speed.

By cases of the profiles small (7) and common (3). On two idle processors 10 cases took 62 s in 5 processes for the 61 s
of `seconds_of_sides`, and 477 s in 40 for 446 s; 4 small ones 33 s in 5 for 24 s.
"""
_REPLACED = frozenset({
    "--operator", "--category", "--namespace", "--input-profile", "--max-time", "--processes", "--time-budget",
    "--samples", "--runs", "--run-file", "--report", "--output-file", "--format", "--columns", "--sort", "--limit",
    "--group-by", "--no-confirm",
})  # fmt: skip
"""The options of a comparison that the command which decides it has its own of, or none."""
_OF_RUNS = frozenset({"--mxnet", "--visits", "--caller", "--resume", "--output-format"})
"""The options of a run that a comparison has its own of, or none."""
_COMPARING = ("compare", "gate")
_OF_SIDES, _OF_BOTH = frozenset({"--mxnet", "--env"}), frozenset({"--frameworks", "--front-ends"})
"""The options that are given once for each side, and those that name both."""


def seconds_of_sides(cases: int, max_time: float, processes: int) -> float:
    """The time that cases take on both sides of a comparison, on an idle machine."""
    share = max_time / processes
    sampling = PER_SAMPLE * min(share, max(USUAL_TURNS, min(LONGEST_TURNS, share / 2)))
    return 2 * cases * (TRIAL_SECONDS + processes * (PROCESS_SECONDS + sampling))


def _sides(base: Provenance, new: Provenance) -> list[str]:
    """The command that measures both sides, without its selection of cases; empty where it isn't known."""
    words = shlex.split(base.command)
    command, given = "".join(words[1:2]), words[2:]
    names = _names_of(given)
    # A gate against a baseline measures one side, and so do two runs of it.
    has_both = command == "compare" or not _OF_BOTH.isdisjoint(names) or sum(name in _OF_SIDES for name in names) > 1
    if command in _COMPARING and has_both and base.command == new.command:
        return [] if "--front-ends" in names else [words[0], "compare", *_without(_REPLACED, given)]
    if base.build in ("", new.build) or not new.build or "--int64-tensor" in names:
        return []
    kept = _without(_REPLACED | _OF_RUNS, given) if command == "run" else []
    seed = [] if base.seed is None or "--seed" in names else ["--seed", str(base.seed)]
    return ["autoperf", "compare", "--mxnet", base.build, "--mxnet", new.build, *kept, *seed]


def _names_of(words: Iterable[str]) -> list[str]:
    return [word.partition("=")[0] for word in words]


def _without(options: Collection[str], words: Iterable[str]) -> list[str]:
    """The words of a command without these options and their values."""
    kept: list[str] = []
    is_value = False
    for word in words:
        name, equals, _ = word.partition("=")
        if not is_value and name in options:
            is_value = not equals and name != "--no-confirm"
            continue
        kept += [] if is_value else [word]
        is_value = False
    return kept
