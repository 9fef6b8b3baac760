"""What ends a command other than success, which is exit code 0."""

USER_ERROR = 2  # wrong arguments or files: argparse's own code too
INTERRUPTED = 130  # as shells have it


class UserError(Exception):
    """A mistake of the user's: shown as one message, without a traceback."""
