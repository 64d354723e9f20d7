"""What a person reads: tables, JSON, CSV and Markdown."""
