"""The C functions that autoperf calls: their names in each release, and their argument types."""

from __future__ import annotations

import ctypes as c
from typing import Any

P = c.c_void_p
INT, UINT, SIZE, TEXT = c.c_int, c.c_uint32, c.c_size_t, c.c_char_p

# name that autoperf uses -> (names to try, in this order; argument types). Pointers to results are void
# pointers here: the callers pass `byref` of a typed variable, and ctypes takes it.
FUNCTIONS: dict[str, tuple[tuple[str, ...], tuple[Any, ...]]] = {
    "GetVersion": (("MXGetVersion",), (P,)),
    "LibInfoFeatures": (("MXLibInfoFeatures",), (P, P)),
    # 2.0 returns the library's handle; earlier releases ignore the third argument.
    "LoadLib": (("MXLoadLib",), (TEXT, INT, P)),
    "RandomSeed": (("MXRandomSeed",), (INT,)),
    "EngineSetBulkSize": (("MXEngineSetBulkSize",), (INT, P)),
    "SetIsNumpyShape": (("MXSetIsNumpyShape",), (INT, P)),
    "IsNumpyShape": (("MXIsNumpyShape",), (P,)),
    # registry
    "ListAllOpNames": (("MXListAllOpNames",), (P, P)),
    "GetOpHandle": (("NNGetOpHandle",), (TEXT, P)),
    "GetAtomicSymbolInfo": (("MXSymbolGetAtomicSymbolInfo",), (P, P, P, P, P, P, P, P, P)),
    # arrays
    "NDArrayCreate64": (
        ("MXNDArrayCreateEx64", "MXNDArrayCreate64", "MXNDArrayCreateEx"),
        (P, INT, INT, INT, INT, INT, P),
    ),
    "NDArrayCreateSparse64": (
        ("MXNDArrayCreateSparseEx64", "MXNDArrayCreateSparseEx"),
        (INT, P, INT, INT, INT, INT, INT, UINT, P, P, P, P),
    ),
    "NDArrayFree": (("MXNDArrayFree",), (P,)),
    "NDArrayGetShape64": (("MXNDArrayGetShapeEx64", "MXNDArrayGetShape64", "MXNDArrayGetShapeEx"), (P, P, P)),
    "NDArrayGetDType": (("MXNDArrayGetDType",), (P, P)),
    "NDArrayGetStorageType": (("MXNDArrayGetStorageType",), (P, P)),
    "NDArrayGetDataNDArray": (("MXNDArrayGetDataNDArray",), (P, P)),
    "NDArrayGetAuxNDArray": (("MXNDArrayGetAuxNDArray",), (P, UINT, P)),
    "NDArraySyncCopyFromCPU": (("MXNDArraySyncCopyFromCPU",), (P, P, SIZE)),
    "NDArraySyncCopyToCPU": (("MXNDArraySyncCopyToCPU",), (P, P, SIZE)),
    "NDArrayWaitToRead": (("MXNDArrayWaitToRead",), (P,)),
    "NDArrayWaitAll": (("MXNDArrayWaitAll",), ()),
    # calls
    "ImperativeInvoke": (("MXImperativeInvokeEx", "MXImperativeInvoke"), (P, INT, P, P, P, INT, P, P, P)),
    "CachedOpCreate": (("MXCreateCachedOpEX", "MXCreateCachedOpEx", "MXCreateCachedOp"), (P, INT, P, P, P, c.c_bool)),
    "CachedOpFree": (("MXFreeCachedOp",), (P,)),
    "CachedOpInvoke": (("MXInvokeCachedOpEx",), (P, INT, P, P, P, P)),
    "CachedOpInvokeOn": (("MXInvokeCachedOp",), (P, INT, P, INT, INT, P, P, P)),
    "ExecutorBind": (("MXExecutorBindEX",), (P, INT, INT, UINT, P, P, P, UINT, P, P, P, UINT, P, P, P)),
    "ExecutorForward": (("MXExecutorForward",), (P, INT)),
    "ExecutorOutputs": (("MXExecutorOutputs",), (P, P, P)),
    "ExecutorFree": (("MXExecutorFree",), (P,)),
    "CustomRegister": (("MXCustomOpRegister",), (TEXT, P)),
    # autograd
    "AutogradSetIsRecording": (("MXAutogradSetIsRecording",), (INT, P)),
    "AutogradSetIsTraining": (("MXAutogradSetIsTraining",), (INT, P)),
    "AutogradMarkVariables": (("MXAutogradMarkVariables",), (UINT, P, P, P)),
    "AutogradBackward": (("MXAutogradBackwardEx",), (UINT, P, P, UINT, P, INT, INT, INT, P, P)),
    # profiler
    "ProfilerConfig": (("MXSetProcessProfilerConfig",), (INT, P, P, P)),
    "ProfilerState": (("MXSetProcessProfilerState",), (INT, INT, P)),
    "ProfilerPause": (("MXProcessProfilePause",), (INT, INT, P)),
    "ProfilerDump": (("MXDumpProcessProfile",), (INT, INT, P)),
    # symbols
    "SymbolVariable": (("MXSymbolCreateVariable",), (TEXT, P)),
    "SymbolAtomic": (("MXSymbolCreateAtomicSymbol",), (P, UINT, P, P, P)),
    "SymbolCompose": (("MXSymbolCompose",), (P, TEXT, UINT, P, P)),
    "SymbolFree": (("MXSymbolFree",), (P,)),
    "SymbolGetNumOutputs": (("MXSymbolGetNumOutputs",), (P, P)),
    "SymbolGetInternals": (("MXSymbolGetInternals",), (P, P)),
    "SymbolGetOutput": (("MXSymbolGetOutput",), (P, UINT, P)),
    "SymbolListAuxiliaryStates": (("MXSymbolListAuxiliaryStates",), (P, P, P)),
    "SymbolListOutputs": (("MXSymbolListOutputs",), (P, P, P)),
    "SymbolListInputNames": (("NNSymbolListInputNames",), (P, INT, P, P)),
    "SymbolGroup": (("MXSymbolCreateGroup",), (UINT, P, P)),
    "SymbolToJSON": (("MXSymbolSaveToJSON",), (P, P)),
    "SymbolFromJSON": (("MXSymbolCreateFromJSON",), (TEXT, P)),
    "SymbolInferShapePartial64": (
        ("MXSymbolInferShapePartialEx64", "MXSymbolInferShapePartial64", "MXSymbolInferShapePartialEx"),
        (P, UINT, P, P, P, P, P, P, P, P, P, P, P, P, P),
    ),
    "SymbolInferTypePartial": (("MXSymbolInferTypePartial", "MXSymbolInferType"), (P, UINT, P, P, P, P, P, P, P, P, P)),
    "GenBackendSubgraph": (("MXGenBackendSubgraph",), (P, TEXT, P)),
    # graphs
    "GraphCreate": (("NNGraphCreate",), (P, P)),
    "GraphFree": (("NNGraphFree",), (P,)),
    "GraphGetSymbol": (("NNGraphGetSymbol",), (P, P)),
    "GraphSetEntries": (("NNGraphSetNodeEntryListAttr_",), (P, TEXT, P)),
    "GraphSetJSON": (("NNGraphSetJSONAttr",), (P, TEXT, TEXT)),
    "GraphApplyPasses": (("NNGraphApplyPasses",), (P, UINT, P, P)),
}

# Functions that run kernels, the passes of a case.
OF_PASSES = {"ImperativeInvoke", "CachedOpInvoke", "CachedOpInvokeOn", "ExecutorForward", "AutogradBackward"}

# Functions of NNVM, MXNet's graph library: from 2.0 on, MXGetLastError doesn't have their errors.
OF_NNVM = {
    "ListAllOpNames", "GetOpHandle", "GetAtomicSymbolInfo", "SymbolVariable", "SymbolCompose", "SymbolFree",
    "SymbolGetNumOutputs", "SymbolGetOutput", "SymbolListAuxiliaryStates", "SymbolListOutputs",
    "SymbolListInputNames", "SymbolGroup",
    "GraphCreate", "GraphFree", "GraphGetSymbol", "GraphSetEntries", "GraphSetJSON", "GraphApplyPasses",
}  # fmt: skip


class FeatureEntry(c.Structure):
    """One entry of `MXLibInfoFeatures`."""

    _fields_ = (("name", c.c_char_p), ("enabled", c.c_bool))
