"""2-HNC, as published."""
