/**
 * Returns the items for which `isWanted` resolves to true, in their order. It asks about one item at a time, because
 * the answer is usually a query and a list can have thousands of items.
 */
export async function filterAsync<T>(items: Iterable<T>, isWanted: (item: T) => Promise<boolean>): Promise<T[]> {
  const wanted: T[] = []
  for (const item of items) if (await isWanted(item)) wanted.push(item)
  return wanted
}

/** Returns whether `isWanted` resolves to true for an item. It stops at the first wanted item. */
export async function someAsync<T>(items: Iterable<T>, isWanted: (item: T) => Promise<boolean>): Promise<boolean> {
  for (const item of items) if (await isWanted(item)) return true
  return false
}
