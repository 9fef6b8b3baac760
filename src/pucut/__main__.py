"""`python -m pucut` is the command `pucut`."""

import sys

from pucut.cli import main

sys.exit(main())
