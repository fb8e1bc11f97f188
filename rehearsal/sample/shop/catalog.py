"""The catalog: which products a page shows."""


def page(products, number, size=10):
    """Return one page of products; the first page is number 1."""
    start = number * size
    return products[start : start + size]


def cheapest(products):
    """Return the product with the lowest price, or None."""
    return min(products, key=lambda product: product["cents"], default=None)
