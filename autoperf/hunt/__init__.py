"""The hunt for inputs on which an operator is unexpectedly slow."""
