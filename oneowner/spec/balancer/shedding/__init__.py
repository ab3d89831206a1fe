"""Laws of the bundles that shedders unload or transfer."""
