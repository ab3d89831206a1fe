"""Laws about who is registered, who leads, and whether the units of the dead are taken over."""
