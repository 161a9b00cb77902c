/** A change to one value of the payload, or an error in it. */
export type MetadataNote = {
  /** Dotted path in the payload. */
  path: string
  kind: 'trimmed' | 'scrubbed' | 'invalid'
  /** The stored rule or error code. */
  rule: string
  /** Length before trimming in characters; null if unknown. */
  lengthWas: number | null
}

const notesMax = 500
const depthMax = 40

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Reads a leaf of `_meta` (the object under key '') as notes on `path`. */
function notesOfLeaf(leaf: Record<string, unknown>, path: string): MetadataNote[] {
  const found: MetadataNote[] = []
  const lengthWas = typeof leaf.len === 'number' ? leaf.len : null
  for (const remark of Array.isArray(leaf.rem) ? leaf.rem : []) {
    const rule = Array.isArray(remark) && typeof remark[0] === 'string' ? remark[0] : ''
    found.push({ path, kind: /limit|trim|size|depth/.test(rule) ? 'trimmed' : 'scrubbed', rule, lengthWas })
  }
  for (const error of Array.isArray(leaf.err) ? leaf.err : []) {
    const rule = Array.isArray(error) ? String(error[0]) : String(error)
    found.push({ path, kind: /too_long|too_large|trim|size|depth/.test(rule) ? 'trimmed' : 'invalid', rule, lengthWas })
  }
  if (found.length === 0 && lengthWas !== null) found.push({ path, kind: 'trimmed', rule: '!limit', lengthWas })
  return found
}

/** All notes of a `_meta` tree, in tree order, at most 500. Accepts any input and never throws. */
export function notesOfMeta(meta: unknown): MetadataNote[] {
  const found: MetadataNote[] = []
  const walk = (node: unknown, path: string, depth: number) => {
    if (!isRecord(node) || depth > depthMax) return
    const leaf = node['']
    if (isRecord(leaf)) found.push(...notesOfLeaf(leaf, path))
    for (const [key, child] of Object.entries(node)) {
      if (found.length >= notesMax) return
      if (key !== '') walk(child, path === '' ? key : `${path}.${key}`, depth + 1)
    }
  }
  walk(meta, '', 0)
  return found.slice(0, notesMax)
}

/** The notes of the event: those of `_meta`, then `errors` about other values. */
export function notesOf(
  meta: unknown,
  errors: readonly { type: string; message: string; data: Record<string, unknown> }[],
): MetadataNote[] {
  const found = notesOfMeta(meta)
  const knownPaths = new Set(found.map((note) => note.path))
  for (const error of errors) {
    // The stack panel shows this note. The payload has no error.
    if (error.type === 'native_not_symbolicated') continue
    const path = typeof error.data.name === 'string' ? error.data.name : ''
    const rule = typeof error.data.reason === 'string' ? error.data.reason : error.message || error.type
    if (path !== '' && knownPaths.has(path)) continue
    found.push({
      path,
      kind: 'invalid',
      rule: rule === error.type ? error.type : `${error.type}: ${rule}`,
      lengthWas: null,
    })
  }
  return found.slice(0, notesMax)
}

/** The note to show above the stacks of a minidump's event. */
export function stackNoteOf(errors: readonly { type: string }[]): 'notSymbolicated' | 'dumpUnreadable' | undefined {
  if (errors.some((error) => error.type === 'native_not_symbolicated')) return 'notSymbolicated'
  return errors.some((error) => error.type === 'minidump_unreadable') ? 'dumpUnreadable' : undefined
}

/** Groups notes by payload path (`exception.values.0.value`). */
export function notesByPath(notes: readonly MetadataNote[]): Map<string, MetadataNote[]> {
  const index = new Map<string, MetadataNote[]>()
  for (const note of notes) {
    const existing = index.get(note.path)
    if (existing) existing.push(note)
    else index.set(note.path, [note])
  }
  return index
}
