"""The widest margin with label disambiguation."""
