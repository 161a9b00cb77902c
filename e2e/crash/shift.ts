// NODE_OPTIONS=--import loads this file into every process of the product. It shifts the wall clock by the milliseconds
// in a file. Timers and `performance.now()` are unchanged, as when somebody sets the clock of a machine.
import { readFileSync } from 'node:fs'

const file = process.env.SHIFT_FILE ?? ''
const rereadMs = 50

function offsetReader(): () => number {
  const known = { atMs: Number.NEGATIVE_INFINITY, offsetMs: 0 }
  return () => {
    const atMs = performance.now()
    if (atMs - known.atMs > rereadMs) {
      known.atMs = atMs
      try {
        known.offsetMs = Number(readFileSync(file, 'latin1')) || 0
      } catch {
        known.offsetMs = 0
      }
    }
    return known.offsetMs
  }
}

if (file) {
  const Real = globalThis.Date
  const offset = offsetReader()
  const now = () => Real.now() + offset()
  globalThis.Date = new Proxy(Real, {
    construct: (target, words, made) => Reflect.construct(target, words.length === 0 ? [now()] : words, made),
    apply: () => new Real(now()).toString(),
    get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver)),
  })
}
