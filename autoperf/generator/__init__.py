"""One readable Python file for each operator, rendered with Jinja2."""
