"""How values are drawn: Hypothesis strategies and the seeded draw loop; knows no operator by name."""
