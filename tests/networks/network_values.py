"""Small networks, and the places of nodes in them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Node = tuple[str, str, list[tuple[int, int]], dict[str, str]]
"""A node's operator ("null": a variable), its name, its inputs, and its parameters as texts."""

LAYER = {"num_hidden": "4", "no_bias": "False", "flatten": "True"}
TWO_LAYERS: list[Node] = [
    ("null", "data", [], {}),
    ("null", "first/weight", [], {}),
    ("null", "bias", [], {}),
    ("FullyConnected", "first", [(0, 0), (1, 0), (2, 0)], LAYER),
    ("Activation", "bent", [(3, 0)], {"act_type": "relu"}),
    ("null", "second/weight", [], {}),
    ("null", "second/bias", [], {}),
    ("FullyConnected", "second", [(4, 0), (5, 0), (6, 0)], LAYER),
    ("Activation", "bent again", [(7, 0)], {"act_type": "relu"}),
]
"""Two layers on four features: two calls of one FullyConnected, two of one Activation."""

NORMALISED: list[Node] = [
    ("null", "data", [], {}),
    *(("null", name, [], {}) for name in ("gamma", "beta", "moving_mean", "moving_var")),
    ("BatchNorm", "normalised", [(number, 0) for number in range(5)], {"fix_gamma": "False"}),
    ("Activation", "bent", [(5, 0)], {"act_type": "tanh"}),
]

LOOKUP: list[Node] = [
    ("null", "tokens", [], {}),
    ("null", "table", [], {}),
    ("Embedding", "lookup", [(0, 0), (1, 0)], {"input_dim": "50", "output_dim": "4"}),
    ("SliceChannel", "halves", [(2, 0)], {"num_outputs": "2", "axis": "2"}),
    ("elemwise_add", "sum", [(3, 0), (3, 1)], {}),
]


def symbol(nodes: list[Node]) -> str:
    """A network as MXNet's JSON, with the last node as its output."""
    written: list[dict[str, Any]] = [
        {"op": operator, "name": name, "inputs": [[*entry, 0] for entry in inputs], "attrs": attrs}
        for operator, name, inputs, attrs in nodes
    ]
    variables = [number for number, node in enumerate(nodes) if node[0] == "null"]
    heads = [[len(nodes) - 1, 0, 0]]
    version = {"mxnet_version": ["int", 10901]}
    return json.dumps({"nodes": written, "arg_nodes": variables, "heads": heads, "attrs": version})


def symbol_file(folder: Path, nodes: list[Node], name: str = "small-symbol.json") -> Path:
    path = folder / name
    path.write_text(symbol(nodes), encoding="utf-8")
    return path


BLOCKS = """
import mxnet as mx
from mxnet.gluon import nn, rnn


def classifier():
    net = nn.HybridSequential()
    net.add(nn.Conv2D(4, 3), nn.BatchNorm(), nn.Activation("relu"), nn.Dense(2), nn.Dropout(0.5))
    return net, {"data": "Nx3x8x8"}


class Language(mx.gluon.HybridBlock):
    def __init__(self):
        super().__init__()
        with self.name_scope():
            self.embedding = nn.Embedding(50, 8)
            self.lstm = rnn.LSTM(8)
            self.decoder = nn.Dense(50, flatten=False)

    def hybrid_forward(self, F, tokens):
        return self.decoder(self.lstm(self.embedding(tokens)))


def language():
    return Language(), {"tokens": "5xN:integers(0, 50)"}


class Loop(mx.gluon.HybridBlock):
    def hybrid_forward(self, F, rows, first):
        sums, _ = F.contrib.foreach(lambda row, state: (row + state, row + state), rows, first)
        return sums


def loop():
    return Loop(), {"rows": "5x3", "first": "3"}


class Until(mx.gluon.HybridBlock):
    def hybrid_forward(self, F, count, x):
        def step(count, x):
            return x, [count + 1, F.exp(x)]

        rows, _ = F.contrib.while_loop(lambda count, x: count < 3, step, [count, F.sqrt(x)], max_iterations=7)
        return F.relu(rows)


def until():
    return Until(), {"count": "1", "x": "4x4"}


def bare():
    return nn.Dense(2)


class Refusing(mx.gluon.HybridBlock):
    def hybrid_forward(self, F, data):
        raise RuntimeError("not today")


def refusing():
    return Refusing(), {"data": "3"}


def no_block():
    return 7


def only_symbol():
    return mx.sym.exp(mx.sym.var("data"))


def fails():
    raise KeyError("layer")
"""


def block_file(folder: Path, text: str = BLOCKS) -> Path:
    path = folder / "net.py"
    path.write_text(text, encoding="utf-8")
    return path
