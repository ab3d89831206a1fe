"""Laws about who serves a unit: answers, loaded topics and claims, kept apart; whether clients can send."""
