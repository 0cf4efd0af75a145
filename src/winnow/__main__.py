"""`python -m winnow` is the command `winnow`."""

import sys


def main() -> None:
    """Run the command; Ctrl-C ends it quietly also while its modules are being loaded."""
    try:
        from winnow.surfaces.cli.main import main as run  # takes long enough to be interrupted

        run()
    except KeyboardInterrupt:
        sys.exit(130)  # as `winnow.surfaces.cli.failures.INTERRUPTED`


if __name__ == "__main__":
    main()
