"""``python -m mcplint``."""

import sys

from mcplint.cli import main

if __name__ == "__main__":
    sys.exit(main())
