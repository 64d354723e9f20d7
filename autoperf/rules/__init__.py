"""What is legal for an operator: the only room that names operators."""
