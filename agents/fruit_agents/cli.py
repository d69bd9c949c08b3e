"""The script `fruit-envs`. Its commands need the extra `agents`; this module says so where that is missing."""

from __future__ import annotations

import sys

from fruit_envs.base.errors import MissingExtra, missing_extra

__all__ = ["main"]


def main() -> None:
    """Run the command line; exit code 2 where something that it needs or was given is not right."""
    try:
        try:
            from fruit_agents.commands import app
        except ModuleNotFoundError as error:
            package = str(error.name).partition(".")[0]
            if package not in ("typer", "click", "rich"):
                raise
            raise missing_extra(package, "agents") from error
    except MissingExtra as error:
        sys.stderr.write(f"fruit-envs: {error}\n")
        sys.exit(2)
    app()


if __name__ == "__main__":
    main()
