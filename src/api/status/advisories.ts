/** One part of the runtime that we pin: what is known about its version. The table was compared with what is published on 2026-11-21. */
type Advisory = {
  name: string /** Versions before this one are meant; '' for none. */
  before: string
  sentence: string
}

/** Published advisories about pinned parts. A part without a row has none that we know of. */
const advisories: readonly Advisory[] = [
  {
    name: 'node',
    before: '24.22.1',
    sentence:
      'The bundled Brotli decoder has a published memory-safety advisory, fixed in 24.22.1. Not reachable here: br bodies are decoded in WebAssembly with an output cap, and outgoing requests never ask for br.',
  },
]

/** Negative, 0 or positive as version `a` is older than, the same as or newer than `b`; numbers only. */
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

/** The sentence about a version of a part, or null. */
export function advisoryOf(name: string, version: string): string | null {
  return (
    advisories.find((advisory) => advisory.name === name && compareVersions(version, advisory.before) < 0)?.sentence ??
    null
  )
}
