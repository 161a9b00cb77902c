/**
 * Makes a function that returns the pattern that matches a whole text, ignoring case. `*` matches any characters.
 * Patterns do not become regular expressions: each pattern takes one pass over the text.
 */
export function createPatterns(patterns: readonly string[]): (text: string) => string | undefined {
  const compiled = patterns.map((pattern) => ({ pattern, parts: pattern.toLowerCase().split('*') }))
  return (text) => {
    if (compiled.length === 0) return undefined
    const lower = text.toLowerCase()
    return compiled.find(({ parts }) => matchesParts(lower, parts))?.pattern
  }
}

function matchesParts(text: string, parts: readonly string[]): boolean {
  const [first = '', ...rest] = parts
  const last = rest.pop()
  if (last === undefined) return text === first
  if (!text.startsWith(first)) return false
  let at = first.length
  for (const part of rest) {
    const found = text.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return text.length - last.length >= at && text.endsWith(last)
}
