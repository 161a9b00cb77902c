import { debugName } from '../../store/meta/ingest/missing-source-maps.ts'
import type { MapQuery } from './frames.ts'
import { urlCandidates } from './paths.ts'

/**
 * The names of all files of a project, as a hash table in shared memory: workers see without a query that a file was
 * not uploaded. On a hash collision, the worker sends a query and gets the right answer.
 */
export type Presence = SharedArrayBuffer

/** The name of a file by release, dist and address. */
export const urlName = (release: string, dist: string, url: string): string => `u:${release}\n${dist}\n${url}`

/** Two 32-bit hashes of a text (FNV-1a with two seeds). Never both 0, which marks a free slot. */
function hashOf(text: string): [number, number] {
  let [a, b] = [0x811c9dc5, 0x9e3779b9]
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    a = Math.imul(a ^ unit, 0x01000193)
    b = Math.imul(b ^ unit, 0x85ebca6b)
    b ^= b >>> 15
  }
  return [a | 0, b | 0 || 1]
}

/** Builds the table of these names, at most half full. */
export function presenceOf(names: readonly string[]): Presence {
  const places = 2 ** Math.ceil(Math.log2(Math.max(8, names.length * 2)))
  const memory = new SharedArrayBuffer(places * 8)
  const table = new Int32Array(memory)
  for (const name of names) {
    const [a, b] = hashOf(name)
    for (let at = a & (places - 1); ; at = (at + 1) & (places - 1)) {
      if (table[at * 2] === a && table[at * 2 + 1] === b) break
      if (table[at * 2 + 1] !== 0) continue
      table[at * 2] = a
      table[at * 2 + 1] = b
      break
    }
  }
  return memory
}

/** Returns a function that checks whether a name can be in the table. */
export function presenceLookup(presence: Presence): (name: string) => boolean {
  const table = new Int32Array(presence)
  const last = table.length / 2 - 1
  return (name) => {
    const [a, b] = hashOf(name)
    for (let at = a & last; table[at * 2 + 1] !== 0; at = (at + 1) & last)
      if (table[at * 2] === a && table[at * 2 + 1] === b) return true
    return false
  }
}

/** Whether a query can find a file. */
export function mayFind(has: (name: string) => boolean, { debugId, url, release = '', dist }: MapQuery): boolean {
  if (debugId && has(debugName(debugId))) return true
  return urlCandidates(url).some((urlCandidate) => has(urlName(release, dist, urlCandidate)))
}
