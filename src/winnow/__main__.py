"""`python -m winnow` is the command `winnow`."""

from winnow.surfaces.cli.main import main

if __name__ == "__main__":
    main()
