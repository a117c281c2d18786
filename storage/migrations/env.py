"""How Alembic runs the migrations: on the connection it is handed, in its transaction."""

from alembic import context

context.configure(connection=context.config.attributes["connection"], transactional_ddl=True)
context.run_migrations()
