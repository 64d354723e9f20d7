"""The hunt for inputs on which an operator is much slower than it has reason to be."""
