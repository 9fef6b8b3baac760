"""What ends a command other than success, which is exit code 0."""

FAILURE = 1  # unexpected: a mistake of ours
USER_ERROR = 2  # wrong arguments or files: argparse's own code too
INTERRUPTED = 130  # as shells have it
TERMINATED = 143  # by SIGTERM, as shells have it
BROKEN_PIPE = 141  # the reader of the output has gone, as after `| head`
NEEDED = "pip install 'pucut[cli]'"


class UserError(Exception):
    """A mistake of the user's: shown as one message, without a traceback."""


class UnknownShareError(UserError):
    """The share of positives is needed, was not given, and can only be guessed."""


class Terminated(BaseException):
    """The process was asked to end: whatever is unfinished is cleaned up on the way out."""
