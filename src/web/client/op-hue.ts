/** The colour of an op, by its first word: the name of a token. */
export function hueOf(op: string): string {
  if (op === 'pageload' || op === 'navigation' || op.startsWith('ui')) return 'c2'
  if (op === 'http.server') return 'c3'
  if (op.startsWith('http.client')) return 'c4'
  if (op.startsWith('db')) return 'c1'
  return op.startsWith('cache') ? 'c6' : 'c7'
}
