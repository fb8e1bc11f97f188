import unittest
from datetime import date

from shop.coupons import discount_cents, is_valid

COUPON = {"valid_until": "2026-12-31", "percent": 10}


class Coupons(unittest.TestCase):
    def test_a_coupon_is_good_on_its_last_day(self):
        self.assertTrue(is_valid(COUPON, date(2026, 12, 31)))

    def test_a_coupon_is_over_on_the_day_after(self):
        self.assertFalse(is_valid(COUPON, date(2027, 1, 1)))

    def test_a_discount_is_rounded_down(self):
        self.assertEqual(discount_cents(COUPON, 1999), 199)


if __name__ == "__main__":
    unittest.main()
