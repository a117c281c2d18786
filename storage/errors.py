"""What can go wrong between the domain and its database."""


class StorageError(Exception):
    """The message says what was met and what is allowed, in one sentence."""


class DatabaseUnreachableError(StorageError):
    """The database does not answer, refuses the user, or has gone away; try again later."""


class DatabaseRefusedError(StorageError):
    """The database answers, but not as asked: no permission, no tables, a full disk."""


class DatabaseAddressError(StorageError):
    """A database address that is neither a URL nor a keyword string of Postgres."""


class SchemaNewerError(StorageError):
    """The database was made by a newer version of polysense than this one."""


class EmbeddedPostgresError(StorageError):
    """The bundled Postgres cannot be started or stopped."""


class UnknownRunError(StorageError):
    """No run has that id."""


class UnknownItemSetError(StorageError):
    """A run names items that are not stored; store the items first."""


class UnstorableError(StorageError):
    """A value that JSON and Postgres cannot hold: NaN, an infinity, an object of Python's."""
