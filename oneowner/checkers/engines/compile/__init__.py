"""The compiler turns actions and laws into decision trees, and the trees into C, Python, TLA+, Promela and z3."""
