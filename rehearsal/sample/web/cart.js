/** The label of the cart in the page's header. A visitor who has bought nothing yet has no cart. */
export function cartLabel(cart) {
  const count = cart.items.reduce((sum, item) => sum + item.quantity, 0)
  return count === 1 ? '1 item' : `${count} items`
}
