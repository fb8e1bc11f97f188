import unittest

from shop.catalog import cheapest, page


class Catalog(unittest.TestCase):
    def test_the_first_page_starts_with_the_first_product(self):
        self.assertEqual(page(list(range(25)), 1), list(range(10)))

    def test_the_last_page_holds_the_rest(self):
        self.assertEqual(page(list(range(25)), 3), [20, 21, 22, 23, 24])

    def test_an_empty_catalog_has_no_cheapest_product(self):
        self.assertIsNone(cheapest([]))


if __name__ == "__main__":
    unittest.main()
