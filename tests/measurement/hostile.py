"""MXNet whose cases may have code, which each process that prepares the case runs: `Settings(framework=HOSTILE)`."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
from pathlib import Path

import msgspec

from autoperf.backends.mxnet.backend import MXNetBackend
from autoperf.backends.mxnet.capi.library import open_library
from autoperf.backends.mxnet.engine import MXNetEngine
from autoperf.backends.mxnet.trial import OperatorTrials
from autoperf.backends.protocol import Backend, CallOptions, PreparedCall, TrialResult
from autoperf.core.case import Case

CODE = "code"
"""The parameter that has the code."""
HOSTILE = f"{__name__}:BACKEND"


def without_code(case: Case) -> Case:
    """Runs the code of a case; returns the case without it."""
    names = {"ctypes": ctypes, "msgspec": msgspec, "os": os, "signal": signal, "sys": sys, "time": time}
    exec(str(case.params.get(CODE, "")), names)
    return msgspec.structs.replace(case, params={name: value for name, value in case.params.items() if name != CODE})


class HostileTrials(OperatorTrials):
    def run(self, case: Case, *, backward: bool) -> TrialResult:
        return super().run(without_code(case), backward=backward)


class HostileEngine(MXNetEngine):
    def prepare(self, case: Case, options: CallOptions, program: object = None) -> PreparedCall:
        return super().prepare(without_code(case), options)

    def trials(self, options: CallOptions) -> HostileTrials:
        return HostileTrials(self.library, options.ctx)


class HostileBackend(MXNetBackend):
    def open(self, build: Path) -> HostileEngine:
        return HostileEngine(open_library(build))


BACKEND: Backend = HostileBackend()
