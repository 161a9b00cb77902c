/** An advisory about a pinned part. `before` limits it to older versions; '' for none. */
type Advisory = {
  name: string
  before: string
  sentence: string
}

/** Advisories about pinned parts, as published on 2026-11-21. Parts without a row have none that we know of. */
const advisories: readonly Advisory[] = [
  {
    name: 'node',
    before: '24.22.1',
    sentence:
      'The bundled Brotli decoder has a published memory-safety advisory, fixed in 24.22.1. Not reachable here: br bodies are decoded in WebAssembly with an output cap, and outgoing requests never ask for br.',
  },
]

/** Compares versions by their numbers: negative if `a` is older than `b`, 0 if equal, positive if newer. */
export function compareVersions(a: string, b: string): number {
  const parts = (text: string) =>
    text
      .replace(/^v/, '')
      .split(/[.+-]/)
      .map((part) => Number.parseInt(part, 10) || 0)
  const [left, right] = [parts(a), parts(b)]
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

/** Returns the sentence for a version of a part, or null. */
export function advisoryOf(name: string, version: string): string | null {
  return (
    advisories.find((advisory) => advisory.name === name && compareVersions(version, advisory.before) < 0)?.sentence ??
    null
  )
}
