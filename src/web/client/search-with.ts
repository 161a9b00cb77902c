/** Returns a query string with its `?`, or '' if it is empty. Changes to null or '' remove their parameter. */
export function searchWith(
  search: URLSearchParams,
  changes: Readonly<Record<string, string | null | undefined>>,
): string {
  const next = new URLSearchParams(search)
  for (const [key, value] of Object.entries(changes)) {
    if (value) next.set(key, value)
    else next.delete(key)
  }
  return next.size > 0 ? `?${next}` : ''
}
