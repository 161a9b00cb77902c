/** The code of an error of ours. The class has an instance in each bundle, so `instanceof` would not find it. */
export function codeOf(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined
}

/** The answer, or undefined when the store is away or the query is refused: the browser asks itself then and says why. */
export async function unlessAway<Answer>(asked: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await asked
  } catch (error) {
    // What the REST call would refuse or can't have now; everything else is a fault, for the error screen.
    if (/^(STORE_UNAVAILABLE|VALIDATION|QUERY_[A-Z_]+)$/.test(codeOf(error) ?? '')) return undefined
    throw error
  }
}
