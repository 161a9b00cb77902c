class Stock {
  parts = new Map()
  take(name) {
    const left = this.parts.get(name)
    if (left === undefined) throw new TypeError(`no ${name} in stock`)
    return left - 1
  }
}

export function takeAll(names) {
  const stock = new Stock()
  const left = {}
  for (const name of names) left[name] = stock.take(name)
  return left
}
