"""Real clusters on this machine: started, driven by a scenario, recorded."""
