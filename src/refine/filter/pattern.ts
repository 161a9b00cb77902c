/**
 * Makes a function that returns the pattern that matches a whole text, ignoring case. `*` matches any characters.
 * Patterns do not become regular expressions: each pattern takes one pass over the text.
 */
export function createPatterns(patterns: readonly string[]): (text: string) => string | undefined {
  const known = patterns.map((pattern) => ({ pattern, pieces: pattern.toLowerCase().split('*') }))
  return (text) => {
    if (known.length === 0) return undefined
    const lower = text.toLowerCase()
    return known.find(({ pieces }) => meets(lower, pieces))?.pattern
  }
}

function meets(text: string, pieces: readonly string[]): boolean {
  const [first = '', ...rest] = pieces
  const last = rest.pop()
  if (last === undefined) return text === first
  if (!text.startsWith(first)) return false
  let at = first.length
  for (const piece of rest) {
    const found = text.indexOf(piece, at)
    if (found < 0) return false
    at = found + piece.length
  }
  return text.length - last.length >= at && text.endsWith(last)
}
