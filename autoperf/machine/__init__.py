"""This machine: its checks, and the releases and frameworks that are installed on it."""
