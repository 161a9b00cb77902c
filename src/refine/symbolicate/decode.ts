import { type Loose, object, own } from '../pipeline/value.ts'

/** A source map that cannot be used because it, or its mappings, are invalid. `message` says where. */
export class MapBroken extends Error {}

/** A source map whose tables would exceed the size limit. */
export class MapLarge extends Error {}

/**
 * A source map as tables, with index maps flattened. Segments are in the order of the generated file. Lines and columns
 * count from 0, columns in UTF-16 units. `source` and `name` are -1 if a segment has none.
 */
export type Decoded = {
  /** The first segment of each generated line. One more entry has the number of segments. */
  lineFirst: Uint32Array
  column: Uint32Array
  source: Int32Array
  sourceLine: Uint32Array
  sourceColumn: Uint32Array
  name: Int32Array
  /** As in the map, below its sourceRoot. */
  sources: (string | null)[]
  contents: (string | null)[]
  names: string[]
}

/** Bytes of one segment and one line in the tables, and the limit of all tables: 20 million segments. */
const segmentBytes = 20
const lineBytes = 4
const tableBytesMax = 400 * 1024 * 1024
const sectionsMax = 100_000

type Section = { line: number; column: number; map: Loose }

/** Tables on shared memory, so that threads can pass them on without a copy. */
const ints = (count: number) => new Int32Array(new SharedArrayBuffer(count * 4))
const counts = (count: number) => new Uint32Array(new SharedArrayBuffer(count * 4))

/**
 * Decodes a parsed source map of version 3, or an index map of such maps.
 * @throws MapBroken for an invalid map, MapLarge for tables over 400 MB.
 */
export function decodeMap(json: unknown): Decoded {
  const root = object(json)
  if (!root) throw new MapBroken('it is no JSON object')
  const sections = sectionsOf(root)
  const mappings = sections.map(({ map }) => {
    const text = own(map, 'mappings')
    if (typeof text !== 'string') throw new MapBroken('it has no mappings')
    return Buffer.from(text, 'latin1')
  })
  let segments = 0
  let lines = 1
  for (const [at, bytes] of mappings.entries()) {
    let ends = 0
    let breaks = 0
    for (let i = 0; i < bytes.length; i++) {
      if (bytes[i] === 44) ends++
      else if (bytes[i] === 59) breaks++
    }
    segments += ends + breaks + 1
    lines = Math.max(lines, (sections[at]?.line ?? 0) + breaks + 1)
  }
  if (segments * segmentBytes + lines * lineBytes > tableBytesMax) throw new MapLarge(`${segments} segments`)
  const out: Decoded = {
    lineFirst: counts(lines + 1),
    column: counts(segments),
    source: ints(segments),
    sourceLine: counts(segments),
    sourceColumn: counts(segments),
    name: ints(segments),
    sources: [],
    contents: [],
    names: [],
  }
  const place = { line: 0, at: 0 }
  for (const [at, section] of sections.entries()) readSection(section, mappings[at] ?? Buffer.alloc(0), out, place)
  for (let line = place.line + 1; line <= lines; line++) out.lineFirst[line] = place.at
  return out
}

function sectionsOf(root: Loose): Section[] {
  const listed = own(root, 'sections')
  if (listed === undefined) return [{ line: 0, column: 0, map: root }]
  if (!Array.isArray(listed) || listed.length > sectionsMax) throw new MapBroken('its sections are no list')
  const out: Section[] = []
  for (const entry of listed) {
    const section = object(entry) ?? {}
    const offset = object(own(section, 'offset')) ?? {}
    const [line, column] = [own(offset, 'line'), own(offset, 'column')]
    const map = object(own(section, 'map'))
    if (!map) throw new MapBroken('a section has no map of its own')
    if (!isPlace(line) || !isPlace(column)) throw new MapBroken('a section has no offset')
    // Offsets of a nested index map are relative to the outer map's.
    for (const inner of sectionsOf(map))
      out.push({
        line: line + inner.line,
        column: inner.line === 0 ? column + inner.column : inner.column,
        map: inner.map,
      })
    if (out.length > sectionsMax) throw new MapBroken('too many sections')
  }
  return out
}

const isPlace = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 2 ** 31

function readNames(map: Loose, out: Decoded): void {
  const root = own(map, 'sourceRoot')
  const base = typeof root === 'string' && root !== '' ? `${root.replace(/\/$/, '')}/` : ''
  const sources = own(map, 'sources')
  const contents = own(map, 'sourcesContent')
  for (const [at, entry] of (Array.isArray(sources) ? sources : []).entries()) {
    const rooted = typeof entry === 'string' && base && !/^(?:[a-z][a-z\d+.-]*:|\/)/i.test(entry)
    out.sources.push(typeof entry === 'string' ? (rooted ? base + entry : entry) : null)
    const content: unknown = Array.isArray(contents) ? contents[at] : undefined
    out.contents.push(typeof content === 'string' ? content : null)
  }
  const names = own(map, 'names')
  for (const name of Array.isArray(names) ? names : []) out.names.push(typeof name === 'string' ? name : String(name))
}

/** Values of the Base64 digits of a VLQ; 255 marks an invalid digit. */
const digits = Uint8Array.from({ length: 128 }, (_, code) => {
  const at = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'.indexOf(String.fromCharCode(code))
  return at < 0 ? 255 : at
})

/** Appends the segments of one map to the tables, starting at `place`. */
function readSection(section: Section, bytes: Buffer, out: Decoded, place: { line: number; at: number }): void {
  const firstSource = out.sources.length
  const firstName = out.names.length
  readNames(section.map, out)
  const sources = out.sources.length - firstSource
  const names = out.names.length - firstName
  const fields = new Int32Array(5) // running sums: column, source, line, column, name
  let { line } = section
  if (line < place.line) throw new MapBroken('its sections are out of order')
  for (; place.line < line; place.line++) out.lineFirst[place.line + 1] = place.at
  let columnBase = section.column
  let lineStart = place.at
  let sorted = true
  let last = -1
  let i = 0
  while (i < bytes.length) {
    const code = bytes[i] ?? 0
    if (code === 59) {
      if (!sorted) sortLine(out, lineStart, place.at)
      place.line = ++line
      out.lineFirst[line] = place.at
      lineStart = place.at
      sorted = true
      last = -1
      columnBase = 0
      fields[0] = 0
      i++
      continue
    }
    if (code === 44) {
      i++
      continue
    }
    let field = 0
    for (; i < bytes.length && bytes[i] !== 44 && bytes[i] !== 59; field++) {
      let value = 0
      let shift = 0
      let digit: number
      do {
        digit = digits[bytes[i++] ?? 128] ?? 255
        if (digit === 255 || shift > 30) throw new MapBroken(`its mappings are no VLQ at ${i}`)
        value |= (digit & 31) << shift
        shift += 5
      } while (digit & 32)
      if (field < 5) fields[field] = (fields[field] ?? 0) + (value & 1 ? -(value >>> 1) : value >>> 1)
    }
    if (field !== 1 && field !== 4 && field !== 5) throw new MapBroken(`a segment of ${field} fields`)
    const column = columnBase + (fields[0] ?? 0)
    if (column < last) sorted = false
    last = column
    const source = field > 1 ? (fields[1] ?? 0) : -1
    const name = field > 4 ? (fields[4] ?? 0) : -1
    const at = place.at++
    out.column[at] = column
    const isValid = source >= 0 && source < sources && (fields[2] ?? 0) >= 0 && (fields[3] ?? 0) >= 0
    if (field > 1 && !isValid) throw new MapBroken(`a segment names source ${source} of ${sources}`)
    out.source[at] = isValid ? firstSource + source : -1
    out.sourceLine[at] = isValid ? (fields[2] ?? 0) : 0
    out.sourceColumn[at] = isValid ? (fields[3] ?? 0) : 0
    out.name[at] = name >= 0 && name < names ? firstName + name : -1
  }
  if (!sorted) sortLine(out, lineStart, place.at)
}

/** Sorts the segments of a line by column. Some writers leave them unsorted. */
function sortLine(out: Decoded, from: number, to: number): void {
  const order = Array.from({ length: to - from }, (_, i) => from + i)
  order.sort((a, b) => (out.column[a] ?? 0) - (out.column[b] ?? 0) || a - b)
  for (const table of [out.column, out.source, out.sourceLine, out.sourceColumn, out.name]) {
    const values = order.map((at) => table[at] ?? 0)
    table.set(values, from)
  }
}
