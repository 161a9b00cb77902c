/** The `code` of a MishapError. Each bundle has its own error class, so `instanceof` does not work. */
export function codeOf(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined
}

/** The answer, or undefined if the store is down or rejects the query. The browser then asks and shows why. */
export async function unlessAway<Answer>(query: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await query
  } catch (error) {
    // The REST call fails the same way. Everything else is a bug and goes to the error screen.
    if (/^(STORE_UNAVAILABLE|VALIDATION|QUERY_[A-Z_]+)$/.test(codeOf(error) ?? '')) return undefined
    throw error
  }
}
