"""Reports: tables for a terminal, JSON, CSV, Markdown and JUnit, and progress displays."""
