"""What every room uses: checks and errors, files, HTML, machines, memory, threads."""
