"""Which operators, dtypes and layers are covered, here and in other frameworks, and the reports of it."""
