import unittest

from shop.orders import add_item, order_total


class Orders(unittest.TestCase):
    def test_each_order_starts_empty(self):
        add_item("lantern", "12.50")
        self.assertEqual(len(add_item("wick", "0.80")), 1)

    def test_items_are_added_to_an_order(self):
        order = add_item("lantern", "12.50", items=[])
        self.assertEqual(len(add_item("wick", "0.80", 2, order)), 2)

    def test_the_total_is_exact(self):
        order = [
            {"name": "wick", "price": "0.10", "quantity": 1},
            {"name": "match", "price": "0.20", "quantity": 1},
        ]
        self.assertEqual(str(order_total(order)), "0.30")


if __name__ == "__main__":
    unittest.main()
