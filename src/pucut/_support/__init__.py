"""Tools of all rooms: checks and errors, files, HTML, machines, memory, threads."""
