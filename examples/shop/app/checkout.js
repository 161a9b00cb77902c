class Cart {
  items = []
  totalOf(rate) {
    if (this.items.length === 0) throw new RangeError('the cart is empty')
    return this.items.length * rate
  }
}

export function checkout(items) {
  const cart = new Cart()
  for (const item of items) cart.items.push(item)
  return cart.totalOf(1.19)
}
