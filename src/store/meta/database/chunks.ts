/** Items of one statement. SQLite takes 32,766 parameters, PostgreSQL 65,535. Few sizes make few statement texts. */
export const chunkMax = 500

/** Cuts items into chunks of at most `chunkMax`. */
export const chunksOf = <Item>(items: readonly Item[]): Item[][] =>
  Array.from({ length: Math.ceil(items.length / chunkMax) }, (_, at) => items.slice(at * chunkMax, (at + 1) * chunkMax))

/** Runs a query for each chunk, one after the other. Returns the rows of all. */
export async function inChunks<Item, Row>(
  items: readonly Item[],
  query: (chunk: readonly Item[]) => Promise<Row[]>,
): Promise<Row[]> {
  const found: Row[] = []
  for (const chunk of chunksOf(items)) for (const row of await query(chunk)) found.push(row)
  return found
}
