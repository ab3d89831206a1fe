"""One static site of everything that people read: counterexamples, findings, documents, diagrams (``make site``)."""
