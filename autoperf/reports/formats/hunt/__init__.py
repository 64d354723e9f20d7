"""The formats of a hunt."""
