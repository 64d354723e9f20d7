"""autoperf: a registry-introspecting, auto-generated operator benchmark suite for Apache MXNet."""

__version__ = "0.1.0"
