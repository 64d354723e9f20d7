"""Makes the outcome of a case: from its trial and the samples of its processes, or from the failure that ended it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from autoperf.backends.lookup import backend_of
from autoperf.backends.protocol import TrialResult
from autoperf.core.machine import Reference
from autoperf.core.outcome import NO_SAMPLES, PASSES, Outcome, Pass, PassName, ResultDifference, Status
from autoperf.measurement.aggregation import Passes, merge_processes
from autoperf.measurement.batches import Job, outcome
from autoperf.measurement.messages import CaseCounts, CaseFailure, Measured
from autoperf.measurement.settings import Settings
from autoperf.measurement.trial_client import with_counts
from autoperf.runs.run_reader import check_passes


class EndedCase(NamedTuple):
    """A case that no process is to time any more, or not before another visit.

    `asked` is the number of processes that were to time it; None: as many as the settings say. `difference` is that of
    the results of both sides of a comparison. `counts` are the instructions of its passes, or why there are none; None
    if they weren't to be counted.
    """

    job: Job
    trial_result: TrialResult | CaseFailure
    measured: Sequence[Measured]
    failures: Sequence[CaseFailure]
    seconds: float
    asked: int | None = None
    difference: ResultDifference | None = None
    counts: CaseCounts | CaseFailure | None = None

    @property
    def found(self) -> ResultDifference | None:
        """The difference of its results from the other side's, or of those of its timed calls from the trial's."""
        answers = (*self.measured, *([self.trial_result] if isinstance(self.trial_result, CaseFailure) else ()))
        return self.difference or next((each.difference for each in answers if each.difference), None)

    @property
    def failure(self) -> CaseFailure | None:
        """Why the case has no samples; None if it has some."""
        if isinstance(self.trial_result, CaseFailure):
            return self.trial_result
        if self.measured:
            return None
        return self.failures[0] if self.failures else self.uncounted

    @property
    def uncounted(self) -> CaseFailure | None:
        """Why the case has no counts, if it was to have some."""
        return self.counts if isinstance(self.counts, CaseFailure) else None


def outcome_of(
    ended: EndedCase, settings: Settings, reference: Reference | None = None, refused_dtype: str = ""
) -> Outcome:
    """The outcome of a case. Every case that processes have tried ends here, however its processes took turns.

    With `reference`, times are at that speed. `refused_dtype` is the dtype that the framework refuses for this call, if
    that is why it failed.
    """
    trial = ended.trial_result if isinstance(ended.trial_result, TrialResult) else None
    failure = ended.failure
    if trial and not failure:
        try:
            passes = _timed(ended, settings, reference, trial) if ended.measured else (Pass(notes=trial.notes), None)
            passes = _with_libraries(_counted(passes, ended), trial)
            check_passes(run for run in passes if run)
            return outcome(
                ended.job.case,
                Status.MEASURED,
                ended.seconds,
                trial_result=trial,
                passes=passes,
                difference=ended.found,
            )
        except ValueError as error:
            # A process whose memory an operator has overwritten may answer anything.
            failure = CaseFailure(Status.FAILED, f"its processes gave invalid samples: {error}", broken=True)
    assert failure
    status, reason = _status(failure, ended.job, settings, refused_dtype)
    return outcome(
        ended.job.case,
        status,
        ended.seconds,
        reason=reason,
        trial_result=trial,
        refused_dtype=refused_dtype,
        difference=ended.found,
    )


def _timed(ended: EndedCase, settings: Settings, reference: Reference | None, trial: TrialResult) -> Passes:
    notes = (*trial.notes, *_missing_processes(ended, settings))
    averaging = settings.runs is None
    return merge_processes(ended.measured, settings.precision, reference, averaging=averaging, trial=trial, notes=notes)


def _with_libraries(passes: Passes, trial: TrialResult) -> Passes:
    forward, backward = passes
    return _with_library(forward, trial, PASSES[0]), backward and _with_library(backward, trial, PASSES[1])


def _with_library(run: Pass, trial: TrialResult, name: PassName) -> Pass:
    return msgspec.structs.replace(run, library=trial.libraries.get(name, msgspec.UNSET))


def _counted(passes: Passes, ended: EndedCase) -> Passes:
    """The passes with their counts; those of a case that has no times are the passes that were counted."""
    forward, backward = passes
    if failure := ended.uncounted:
        return msgspec.structs.replace(forward, notes=(*forward.notes, f"not counted: {failure.reason}")), backward
    counts = ended.counts.passes if isinstance(ended.counts, CaseCounts) else {}
    backward = with_counts(backward or Pass(), counts.get(PASSES[1]))
    has_backward = passes[1] if ended.measured else PASSES[1] in counts
    return with_counts(forward, counts.get(PASSES[0])), backward if has_backward else None


def _status(failure: CaseFailure, job: Job, settings: Settings, refused_dtype: str) -> tuple[Status, str]:
    """The status of a failure with its reason: skipped where an input can't be measured for a known cause."""
    cause = None
    if refused_dtype:
        framework = backend_of(settings.framework).title
        cause = f"{framework} refuses {refused_dtype} at run time, but accepts {job.default_dtype}"
    elif failure.status is Status.FAILED:
        known = (text for words, text in job.limits.items() if words in failure.reason)
        cause = next((f"a known limit on this processor: {text}" for text in known), None)
    return (Status.SKIPPED, f"{cause}: {failure.reason}") if cause else (failure.status, failure.reason)


def _missing_processes(ended: EndedCase, settings: Settings) -> tuple[str, ...]:
    """A note about processes that gave no samples of a case that other processes have measured."""
    present = len(ended.measured)
    asked = ended.asked or max(settings.processes, present + len(ended.failures))
    if present == asked:
        return ()
    reasons = "; ".join(dict.fromkeys(f"{failure.status.value}: {failure.reason}" for failure in ended.failures))
    return (f"{asked - present} of {asked} {NO_SAMPLES}{reasons}",)
