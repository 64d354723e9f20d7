"""What a run says: rows, notes, documents, page, exports."""
