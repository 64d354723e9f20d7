"""Renders cases as Python files with Jinja2."""
