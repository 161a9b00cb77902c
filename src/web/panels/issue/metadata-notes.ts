/** What happened to one value of the payload, or what was wrong with it. */
export type Remark = {
  /** Dotted path in the payload. */
  path: string
  kind: 'trimmed' | 'scrubbed' | 'invalid'
  /** The rule or error code, as stored. */
  rule: string
  /** Length before trimming, in characters, when known. */
  lengthWas: number | null
}

const remarksMax = 500
const depthMax = 40

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A leaf of `_meta` (the object under key '') as remarks on `path`. */
function remarksOfLeaf(leaf: Record<string, unknown>, path: string): Remark[] {
  const found: Remark[] = []
  const lengthWas = typeof leaf.len === 'number' ? leaf.len : null
  for (const item of Array.isArray(leaf.rem) ? leaf.rem : []) {
    const rule = Array.isArray(item) && typeof item[0] === 'string' ? item[0] : ''
    found.push({ path, kind: /limit|trim|size|depth/.test(rule) ? 'trimmed' : 'scrubbed', rule, lengthWas })
  }
  for (const item of Array.isArray(leaf.err) ? leaf.err : []) {
    const rule = Array.isArray(item) ? String(item[0]) : String(item)
    found.push({ path, kind: /too_long|too_large|trim|size|depth/.test(rule) ? 'trimmed' : 'invalid', rule, lengthWas })
  }
  if (found.length === 0 && lengthWas !== null) found.push({ path, kind: 'trimmed', rule: '!limit', lengthWas })
  return found
}

/** All remarks of a `_meta` tree, in the order of the tree; at most 500. Takes anything, never throws. */
export function remarksOfMeta(meta: unknown): Remark[] {
  const found: Remark[] = []
  const walk = (node: unknown, path: string, depth: number) => {
    if (!isRecord(node) || depth > depthMax) return
    const leaf = node['']
    if (isRecord(leaf)) found.push(...remarksOfLeaf(leaf, path))
    for (const [key, child] of Object.entries(node)) {
      if (found.length >= remarksMax) return
      if (key !== '') walk(child, path === '' ? key : `${path}.${key}`, depth + 1)
    }
  }
  walk(meta, '', 0)
  return found.slice(0, remarksMax)
}

/** The remarks of the event: those of `_meta`, then `errors` that speak of a value that has none yet. */
export function remarksOf(
  meta: unknown,
  errors: readonly { type: string; message: string; data: Record<string, unknown> }[],
): Remark[] {
  const found = remarksOfMeta(meta)
  const known = new Set(found.map((item) => item.path))
  for (const error of errors) {
    // Said where the stack stands: nothing of what was sent is wrong.
    if (error.type === 'native_not_symbolicated') continue
    const path = typeof error.data.name === 'string' ? error.data.name : ''
    const rule = typeof error.data.reason === 'string' ? error.data.reason : error.message || error.type
    if (path !== '' && known.has(path)) continue
    found.push({
      path,
      kind: 'invalid',
      rule: rule === error.type ? error.type : `${error.type}: ${rule}`,
      lengthWas: null,
    })
  }
  return found.slice(0, remarksMax)
}

/** What is to be said of the stacks of an event that came with a minidump. */
export function stackNoteOf(errors: readonly { type: string }[]): 'notSymbolicated' | 'dumpUnreadable' | undefined {
  if (errors.some((error) => error.type === 'native_not_symbolicated')) return 'notSymbolicated'
  return errors.some((error) => error.type === 'minidump_unreadable') ? 'dumpUnreadable' : undefined
}

/** Looks up remarks by path. Paths are compared as the payload has them (`exception.values.0.value`). */
export function remarkIndex(remarks: readonly Remark[]): Map<string, Remark[]> {
  const index = new Map<string, Remark[]>()
  for (const remark of remarks) {
    const known = index.get(remark.path)
    if (known) known.push(remark)
    else index.set(remark.path, [remark])
  }
  return index
}
