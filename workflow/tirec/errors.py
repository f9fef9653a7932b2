"""Errors that a user can act on: one line that names the file, column, row or case and what to do."""


class TirecError(Exception):
    """A fault with one clear line for the user; scripts print it without a traceback and exit with 2."""


class ConfigError(TirecError):
    """A configuration key or value that cannot be used."""


class DataError(TirecError):
    """Input data that cannot be read or breaks a rule of its format."""


class EmptyError(TirecError):
    """A stage that would write nothing where something is required."""
