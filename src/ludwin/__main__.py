"""`python -m ludwin` is the command `ludwin`."""

import sys

from ludwin.cli import main

sys.exit(main())
