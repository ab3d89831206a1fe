"""The engine puts lemmas to z3: it proves what holds for every input, and refutes the rest with a concrete one."""
