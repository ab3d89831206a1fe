"""The draft of KIP-441 in which members learn a task before they run it."""
