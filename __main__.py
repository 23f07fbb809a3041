"""Launcher of the installed bundle: its own folder comes first on this process's path."""

import sys
from pathlib import Path


def main() -> None:
    """Run the command line of the bundle this file lies in."""
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    from run_pipeline import main as run

    run()


if __name__ == "__main__":
    main()
