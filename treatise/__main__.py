"""``python -m treatise`` is the ``treatise`` command."""

from treatise.cli import main

if __name__ == "__main__":
    main()
