/**
 * Event ids of the last hour, by project. An event whose id is in here is a duplicate. There are two tables: the newer
 * one takes ids until it has `max` ids or is `windowMs` old, then the older one is dropped. So an id stays for at least
 * `windowMs` and at most twice that, unless more than `max` newer ids arrive. An id takes 16 bytes and costs no garbage
 * collection. A table of 750,000 ids takes 16 MB at most. It grows as it fills.
 */
export type DedupWindow = {
  has(projectId: number, eventId: string): boolean
  add(projectId: number, eventId: string, atMs: number): void
  forget(projectId: number, eventId: string): void
  readonly size: number
}

type Table = { words: Uint32Array; slots: number; count: number; sinceMs: number }

const firstSlots = 1024
/** Words per key. The first word of a taken slot is never 0. */
const keyWords = 4
/** Below this share of taken slots, linear probing needs few steps. */
const loadMax = 0.75
/** Marks the slot of a forgotten key. The slot stays taken, so that keys behind it are still found. */
const deletedMark = 0xffff_ffff

const newTable = (sinceMs: number): Table => ({
  words: new Uint32Array(firstSlots * keyWords),
  slots: firstSlots,
  count: 0,
  sinceMs,
})

/** The key of an id: its 128 bits, with the project mixed in. */
function readKey(key: Uint32Array, projectId: number, eventId: string): void {
  for (let word = 0; word < keyWords; word++) {
    let value = 0
    for (let at = word * 8; at < word * 8 + 8; at++) value = (value * 16 + nibble(eventId.charCodeAt(at))) >>> 0
    key[word] = value
  }
  key[1] = ((key[1] ?? 0) ^ Math.imul(projectId, 0x9e37_79b1)) >>> 0
  key[2] = ((key[2] ?? 0) ^ Math.floor(projectId / 2 ** 32)) >>> 0
  const first = key[0] ?? 0
  key[0] = first === 0 || first === deletedMark ? 1 : first
}

/** The slot of the key. If the key is absent: its free slot, encoded as `-1 - slot`. */
function find({ words, slots }: Table, key: Uint32Array): number {
  const mask = slots - 1
  let slot = (((key[0] ?? 0) ^ Math.imul((key[3] ?? 0) + (key[1] ?? 0), 0x85eb_ca6b)) >>> 0) & mask
  for (;;) {
    const at = slot * keyWords
    if (words[at] === 0) return -1 - slot
    if (words[at] === key[0] && words[at + 1] === key[1] && words[at + 2] === key[2] && words[at + 3] === key[3])
      return slot
    slot = (slot + 1) & mask
  }
}

function put(table: Table, key: Uint32Array): void {
  const slot = find(table, key)
  if (slot >= 0) return
  table.words.set(key, (-1 - slot) * keyWords)
  table.count++
}

function grow(table: Table): void {
  const { words } = table
  table.slots *= 2
  table.words = new Uint32Array(table.slots * keyWords)
  table.count = 0
  for (let at = 0; at < words.length; at += keyWords)
    if (words[at] !== 0 && words[at] !== deletedMark) put(table, words.subarray(at, at + keyWords))
}

/** Makes an empty window for at least `windowMs` (ms) and `max` ids, see `DedupWindow`. */
export function createDedupWindow(windowMs: number, max: number): DedupWindow {
  const state = { newer: newTable(Number.NEGATIVE_INFINITY), older: newTable(Number.NEGATIVE_INFINITY) }
  const key = new Uint32Array(keyWords)

  return {
    has: (projectId, eventId) => {
      readKey(key, projectId, eventId)
      return find(state.newer, key) >= 0 || find(state.older, key) >= 0
    },
    forget: (projectId, eventId) => {
      readKey(key, projectId, eventId)
      for (const table of [state.newer, state.older]) {
        const slot = find(table, key)
        if (slot >= 0) table.words[slot * keyWords] = deletedMark
      }
    },
    add: (projectId, eventId, atMs) => {
      const { newer } = state
      if (newer.count === 0 && newer.sinceMs < 0) newer.sinceMs = atMs
      if (newer.count >= max || atMs - newer.sinceMs >= windowMs) {
        state.older = newer
        state.newer = newTable(atMs)
      }
      if (state.newer.count + 1 > state.newer.slots * loadMax) grow(state.newer)
      readKey(key, projectId, eventId)
      put(state.newer, key)
    },
    get size() {
      return state.newer.count + state.older.count
    },
  }
}

/** The value of a hex digit. Other characters give some value too, so that most odd ids stay distinct. */
function nibble(code: number): number {
  if (code >= 48 && code <= 57) return code - 48
  if (code >= 97 && code <= 102) return code - 87
  return Number.isNaN(code) ? 0 : code
}
