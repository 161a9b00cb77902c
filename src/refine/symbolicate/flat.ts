import { type Decoded, decodeMap, MapBroken, MapLarge } from './decode.ts'
import { functionsOf, type NamePart } from './scopes.ts'

/** Concatenated texts in UTF-8. Text `i` is bytes `at[i]` to `at[i + 1]`. */
export type Texts = { bytes: Uint8Array; at: Uint32Array }

/**
 * Concatenated source files with the start of every line. Each file uses one or two bytes per character. Lines of file
 * `i` are `lineAt[first[i]]` to `lineAt[first[i + 1] - 1]`; the last of these entries is the end of the file.
 */
type Files = { bytes: Uint8Array; unit: Uint8Array; first: Uint32Array; lineAt: Uint32Array }

/** The functions of the minified file: `name[i]` is valid from `at[i]` (UTF-16 units). -1: unnamed, -2: no function. */
type Scopes = { at: Uint32Array; name: Int32Array; texts: Texts }

/** A minified file and its map, ready for look-ups, on shared memory: threads pass it on without a copy. */
export type FlatMap = {
  bytes: number
  segments: Omit<Decoded, 'sources' | 'contents' | 'names'> | undefined
  sources: Texts
  /** The map's source files in order, then the minified file, if present. */
  files: Files
  names: Texts
  scopes: Scopes | undefined
}

/** The input of `flatten`. `contents`: uploaded sources that the map does not contain, by index. */
type FlatParts = { script: string | undefined; map: unknown; contents?: ReadonlyMap<number, string> }

const bytesMax = 768 * 1024 * 1024
const shared = (bytes: number) => new Uint8Array(new SharedArrayBuffer(bytes))
const counts = (count: number) => new Uint32Array(new SharedArrayBuffer(count * 4))

/**
 * Decodes a map, scans its script and puts both into shared memory. `map` is parsed JSON, or undefined if there is only
 * a script.
 * @throws MapBroken, MapLarge
 */
export function flatten({ script, map, contents = new Map() }: FlatParts): FlatMap {
  const decoded = map === undefined ? undefined : decodeMap(map)
  const sources = decoded?.sources ?? []
  const files: (string | null)[] = sources.map((_, at) => decoded?.contents[at] ?? contents.get(at) ?? null)
  files.push(script ?? null)
  const flat: FlatMap = {
    bytes: 0,
    segments: decoded && segmentsOf(decoded),
    sources: textsOf(sources.map((source) => source ?? '')),
    files: filesOf(files),
    names: textsOf(decoded?.names ?? []),
    scopes: undefined,
  }
  if (script !== undefined && decoded) flat.scopes = scopesOf(script, flat, decoded.names)
  flat.bytes = bytesOf(flat)
  return flat
}

const segmentsOf = ({ lineFirst, column, source, sourceLine, sourceColumn, name }: Decoded) => ({
  lineFirst,
  column,
  source,
  sourceLine,
  sourceColumn,
  name,
})

function bytesOf({ segments, sources, files, names, scopes }: FlatMap): number {
  const tables = [
    ...Object.values(segments ?? {}),
    ...Object.values(files),
    ...[sources, names, ...(scopes ? [scopes.texts] : [])].flatMap((entry) => [entry.bytes, entry.at]),
    ...(scopes ? [scopes.at, scopes.name] : []),
  ]
  return tables.reduce((sum, table) => sum + table.byteLength, 0)
}

function textsOf(list: readonly string[]): Texts {
  const at = counts(list.length + 1)
  let size = 0
  for (const [i, entry] of list.entries()) {
    at[i] = size
    size += Buffer.byteLength(entry)
  }
  if (size > bytesMax) throw new MapLarge(`${size} bytes of names`)
  at[list.length] = size
  const bytes = shared(size)
  const into = Buffer.from(bytes.buffer)
  for (const [i, entry] of list.entries()) into.write(entry, at[i] ?? 0)
  return { bytes, at }
}

const isWide = (text: string) => /[^\0-\xff]/.test(text)

function filesOf(list: readonly (string | null)[]): Files {
  const unit = shared(list.length)
  const first = counts(list.length + 1)
  let size = 0
  for (const [i, text] of list.entries()) {
    unit[i] = text === null ? 0 : isWide(text) ? 2 : 1
    size += (text?.length ?? 0) * (unit[i] ?? 0)
    size += size & 1 // two-byte text starts at even offsets
  }
  if (size > bytesMax) throw new MapLarge(`${size} bytes of sources`)
  const bytes = shared(size)
  const into = Buffer.from(bytes.buffer)
  const lineAt: number[] = []
  let at = 0
  for (const [i, text] of list.entries()) {
    first[i] = lineAt.length
    if (text === null) continue
    const width = unit[i] ?? 1
    into.write(text, at, width === 2 ? 'utf16le' : 'latin1')
    lineAt.push(at)
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) lineAt.push(at + (end + 1) * width)
    at += text.length * width
    lineAt.push(at)
    at += at & 1
  }
  first[list.length] = lineAt.length
  const starts = counts(lineAt.length)
  starts.set(lineAt)
  return { bytes, unit, first, lineAt: starts }
}

/** The last segment of a line that begins at or before a column, or -1. Lines and columns from 0. */
export function segmentAt(segments: NonNullable<FlatMap['segments']>, line: number, column: number): number {
  const { lineFirst } = segments
  if (line < 0 || line + 1 >= lineFirst.length) return -1
  const first = lineFirst[line] ?? 0
  let low = first
  let high = lineFirst[line + 1] ?? 0
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((segments.column[middle] ?? 0) <= column) low = middle + 1
    else high = middle
  }
  return low > first ? low - 1 : -1
}

/** The start of each line of a file in characters. The last entry is the file's length. */
export function linesOf(files: Files, file: number): Uint32Array {
  const all = files.lineAt.subarray(files.first[file], files.first[file + 1])
  const base = all[0] ?? 0
  return all.map((at) => (at - base) / (files.unit[file] || 1))
}

/** The functions of the script with original names, as a list of positions at which the innermost function changes. */
function scopesOf(script: string, flat: FlatMap, names: readonly string[]): Scopes {
  const functions = functionsOf(script)
  const lines = linesOf(flat.files, flat.files.unit.length - 1)
  const nameAt = originalNames(flat, names, lines)
  const at: number[] = []
  const name: number[] = []
  const texts: string[] = []
  const idByText = new Map<string, number>()
  const textId = (text: string): number => {
    const found = idByText.get(text)
    if (found !== undefined) return found
    idByText.set(text, texts.length)
    return texts.push(text) - 1
  }
  const change = (place: number, to: number) => {
    if (at.at(-1) === place) name[name.length - 1] = to
    else {
      at.push(place)
      name.push(to)
    }
  }
  const open: { end: number; name: number }[] = []
  const leave = (before: number) => {
    for (let top = open.at(-1); top && top.end <= before; top = open.at(-1)) {
      open.pop()
      change(top.end, open.at(-1)?.name ?? -2)
    }
  }
  for (const fn of functions) {
    leave(fn.start)
    const text = fn.name.map(nameAt).join('.')
    const id = text === '' ? -1 : textId(foldSegments(fn.isConstructor ? `new ${text}` : text))
    open.push({ end: fn.end, name: id })
    change(fn.start, id)
  }
  leave(Infinity)
  const [places, ids] = [counts(at.length), new Int32Array(new SharedArrayBuffer(name.length * 4))]
  places.set(at)
  ids.set(name)
  return { at: places, name: ids, texts: textsOf(texts) }
}

/** The original name of a part: the map's name of the token, else its own text, which then was not minified. */
function originalNames(flat: FlatMap, names: readonly string[], lines: Uint32Array): (part: NamePart) => string {
  const { segments } = flat
  return ({ at, text }) => {
    if (!segments) return text
    const line = lastAtMost(lines, at)
    const column = at - (lines[line] ?? 0)
    const found = segmentAt(segments, line, column)
    // Some writers map a function's name at the space before it.
    if (found < 0 || column - (segments.column[found] ?? 0) > 1) return text
    const own = names[segments.name[found] ?? -1]
    if (own !== undefined && own !== '') return own
    return text
  }
}

/** The index of the last entry that is at most `value`, or -1. */
export function lastAtMost(sorted: Uint32Array, value: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] ?? 0) <= value) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** Writes `a.a.a.b` as `{a#3}.b`: repeated names add no information. */
export function foldSegments(name: string): string {
  if (!name.includes('.')) return name
  const out: string[] = []
  let before: string | undefined
  let times = 0
  const close = () => {
    if (before !== undefined) out.push(times > 1 ? `{${before}#${times}}` : before)
  }
  for (const part of name.split('.')) {
    if (part === before) times++
    else {
      close()
      before = part
      times = 1
    }
  }
  close()
  return out.join('.')
}

/** Parses the JSON of a map. Skips the prefix that keeps it from running as a script. @throws MapBroken */
export function parseMap(bytes: Buffer): unknown {
  const start = bytes[0] === 0xef && bytes[1] === 0xbb ? 3 : 0
  const guarded = bytes[start] === 41 && bytes[start + 1] === 93
  const from = guarded ? bytes.indexOf(10, start) + 1 : start
  try {
    return JSON.parse(bytes.toString('utf8', from)) as unknown
  } catch {
    throw new MapBroken('it is no JSON')
  }
}
