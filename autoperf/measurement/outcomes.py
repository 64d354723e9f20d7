"""Makes the outcome of a case: from its trial and the samples of its processes, or from the failure that ended it."""

from __future__ import annotations

import msgspec

from autoperf.backends.lookup import backend_of
from autoperf.backends.protocol import TrialResult
from autoperf.core.machine import Reference
from autoperf.core.outcome import NO_SAMPLES, PASSES, Outcome, Pass, Status
from autoperf.measurement.aggregation import Passes, merge_processes
from autoperf.measurement.batches import Job, TriedCase, outcome
from autoperf.measurement.messages import CaseCounts, CaseFailure
from autoperf.measurement.settings import Settings
from autoperf.measurement.trial_client import with_counts
from autoperf.runs.run_reader import check_passes


def outcome_of(
    tried: TriedCase,
    settings: Settings,
    reference: Reference | None = None,
    refused_dtype: str = "",
    *,
    processes: int | None = None,
) -> Outcome:
    """The outcome of a case. Every case that was tried ends here, however its processes took turns.

    With `reference`, times are at that speed. `refused_dtype` is the dtype that the framework refuses for this call, if
    that is why it failed. So many `processes` at least were to time it (default: as many as the settings say).
    """
    trial = tried.trial_result if isinstance(tried.trial_result, TrialResult) else None
    failure, seconds = tried.failure, tried.trial_seconds + tried.timing_seconds
    passes: Passes | None = None
    if trial and not failure:
        try:
            needed = settings.processes if processes is None else processes
            passes = _passes(tried, settings, reference, trial, needed)
        except ValueError as error:
            # A process whose memory an operator has overwritten may answer anything.
            failure = CaseFailure(Status.FAILED, f"its processes gave invalid samples: {error}", broken=True)
    status, reason = Status.MEASURED, ""
    if failure:
        status, reason = _status(failure, tried.job, settings, refused_dtype)
    return outcome(
        tried.job.case,
        status,
        seconds,
        reason=reason,
        trial_result=trial,
        passes=passes,
        refused_dtype=refused_dtype,
        difference=tried.found,
    )


def _passes(
    tried: TriedCase, settings: Settings, reference: Reference | None, trial: TrialResult, needed: int
) -> Passes:
    """The passes of a case with its times and counts. Raises ValueError for invalid samples."""
    passes: Passes = Pass(notes=trial.notes), None
    if tried.measured:
        notes, averaging = (*trial.notes, *_missing_processes(tried, needed)), settings.runs is None
        passes = merge_processes(
            tried.measured, settings.precision, reference, averaging=averaging, trial=trial, notes=notes
        )
    forward, backward = _counted(passes, tried)
    libraries = [trial.libraries.get(name, msgspec.UNSET) for name in PASSES]
    forward = msgspec.structs.replace(forward, library=libraries[0])
    backward = backward and msgspec.structs.replace(backward, library=libraries[1])
    check_passes(run for run in (forward, backward) if run)
    return forward, backward


def _counted(passes: Passes, tried: TriedCase) -> Passes:
    """The passes with their counts; those of a case that has no times are the passes that were counted."""
    forward, backward = passes
    if failure := tried.uncounted:
        return msgspec.structs.replace(forward, notes=(*forward.notes, f"not counted: {failure.reason}")), backward
    counts = tried.counts.passes if isinstance(tried.counts, CaseCounts) else {}
    backward = with_counts(backward or Pass(), counts.get(PASSES[1]))
    has_backward = passes[1] if tried.measured else PASSES[1] in counts
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


def _missing_processes(tried: TriedCase, needed: int) -> tuple[str, ...]:
    """A note about processes that gave no samples of a case that other processes have measured."""
    present, asked = len(tried.measured), max(needed, tried.asked)
    if present == asked:
        return ()
    reasons = "; ".join(dict.fromkeys(f"{failure.status.value}: {failure.reason}" for failure in tried.failures))
    return (f"{asked - present} of {asked} {NO_SAMPLES}{reasons}",)
