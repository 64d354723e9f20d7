"""The nouns that every room speaks; imports nothing else of the package."""
