import sqlite3
import unittest

from shop import customers


class Customers(unittest.TestCase):
    def setUp(self):
        self.connection = sqlite3.connect(":memory:")
        self.connection.execute(customers.SCHEMA)
        customers.add(self.connection, "Ada", "ada@example.org")
        customers.add(self.connection, "Miles O'Brien", "o'brien@example.org")

    def tearDown(self):
        self.connection.close()

    def test_a_customer_is_found_by_address(self):
        found = customers.find_by_email(self.connection, "ada@example.org")
        self.assertEqual([row[1] for row in found], ["Ada"])

    def test_an_address_may_hold_a_quote(self):
        found = customers.find_by_email(self.connection, "o'brien@example.org")
        self.assertEqual([row[1] for row in found], ["Miles O'Brien"])

    def test_an_address_cannot_change_the_query(self):
        self.assertEqual(customers.find_by_email(self.connection, "' OR '1'='1"), [])


if __name__ == "__main__":
    unittest.main()
