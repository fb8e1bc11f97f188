"""Customers: who they are, looked up in the shop's database."""

SCHEMA = "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, email TEXT)"


def add(connection, name, email):
    """Store a customer and return the new id."""
    cursor = connection.execute(
        "INSERT INTO customers (name, email) VALUES (?, ?)", (name, email)
    )
    return cursor.lastrowid


def find_by_email(connection, email):
    """Return the customers with exactly that address."""
    query = f"SELECT id, name, email FROM customers WHERE email = '{email}'"
    return connection.execute(query).fetchall()
