"""What every room uses: checks and errors, files, HTML, memory, threads."""
