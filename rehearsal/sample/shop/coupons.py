"""Coupons: when they can be used, and what they take off."""


def is_valid(coupon, today):
    """Whether a coupon can be used today; it is good through its last day."""
    return str(today) < coupon["valid_until"]


def discount_cents(coupon, cents):
    """Return how many cents the coupon takes off."""
    return cents * coupon["percent"] // 100
