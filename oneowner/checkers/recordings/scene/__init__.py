"""Who was alive, registered and elected, from when to when."""
