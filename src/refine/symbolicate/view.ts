import { type FlatMap, lastAtMost, linesOf, segmentAt, type Texts } from './flat.ts'

/** A source file: its index and its path in the map; undefined if the map has none. Each file has only one object. */
export type OriginalSource = { readonly file: number; readonly path: string | undefined }

/** The original position of a position in the minified file. Line and column count from 0. */
export type Original = {
  source: OriginalSource
  line: number
  column: number
  /** The map's name of the token at this position. */
  name: string | undefined
}

/** Source lines around a position, cut for display. */
export type SourceContext = { pre: string[]; line: string; post: string[] }

/** Look-ups in one flat map. All lines and columns count from 0. */
export type MapView = {
  /** Whether there is a map, or only the script. */
  mapped: boolean
  original(line: number, column: number): Original | undefined
  /** The name of the function at a position, '' if unnamed; undefined outside of functions or without a script. */
  functionAt(line: number, column: number): string | undefined
  /** Five lines on either side of a position; undefined if the file is missing or shorter. */
  context(file: number, line: number, column: number): SourceContext | undefined
  /** The same for the minified file, with `lines` instead of five. */
  scriptContext(line: number, column: number, lines?: number): SourceContext | undefined
}

const contextLines = 5
/** Maximum characters of a line, and the mark for omitted text. */
const lineMax = 140
const snip = '{snip}'

/** Reads single texts. Decodes each on demand, because a map can have a hundred thousand. */
function textReader({ bytes, at }: Texts): (index: number) => string {
  const body = Buffer.from(bytes.buffer)
  return (index) => body.toString('utf8', at[index] ?? 0, at[index + 1] ?? 0)
}

/** Maximum bytes of lines that are decoded together. Longer blocks are cut line by line. */
const blockBytesMax = 4096

const isBreak = (code: number): boolean => code === 10 || code === 13

/**
 * Line `at` of a block that begins with line `from`, without its line break; undefined if it is long. Uses the known
 * line starts: searching for the line breaks again took twice as long.
 */
function lineOf(
  files: FlatMap['files'],
  block: string,
  { file, from, at }: { file: number; from: number; at: number },
): string | undefined {
  const [unit, start] = [files.unit[file] ?? 1, files.lineAt[from] ?? 0]
  const begin = ((files.lineAt[at] ?? 0) - start) / unit
  let end = ((files.lineAt[at + 1] ?? 0) - start) / unit
  while (end > begin && isBreak(block.charCodeAt(end - 1))) end--
  return end - begin > lineMax ? undefined : block.slice(begin, end)
}

/** Makes a reader of source lines. */
function contextReader(
  files: FlatMap['files'],
): (file: number, line: number, column: number, either?: number) => SourceContext | undefined {
  const body = Buffer.from(files.bytes.buffer)

  /** One line, cut around a column. Never decodes a long line whole: a minified line can have some MB. */
  function lineText(file: number, at: number, column: number): string {
    const unit = files.unit[file] ?? 1
    const from = files.lineAt[at] ?? 0
    let to = files.lineAt[at + 1] ?? 0
    while (to - unit >= from && isBreak(body[to - unit] ?? 0) && (unit === 1 || body[to - 1] === 0)) to -= unit
    const length = (to - from) / unit
    if (length <= lineMax) return slice(unit, from, to)
    const start = Math.max(0, Math.min(column - lineMax / 2, length - lineMax))
    const text = slice(unit, from + start * unit, from + (start + lineMax) * unit)
    // The cut can split a surrogate pair.
    const whole = unit === 2 ? text.toWellFormed() : text
    return `${start > 0 ? `${snip} ` : ''}${whole}${start + lineMax < length ? ` ${snip}` : ''}`
  }

  const narrow = Buffer.alloc(blockBytesMax)
  function slice(unit: number, from: number, to: number): string {
    if (unit !== 2) return body.toString('latin1', from, to)
    // One character beyond Latin-1 makes a whole file two-byte. Its Latin-1 lines cost half as much this way.
    const length = (to - from) / 2
    if (length > narrow.length) return body.toString('utf16le', from, to)
    for (let at = 0; at < length; at++) {
      if (body[from + 2 * at + 1] !== 0) return body.toString('utf16le', from, to)
      narrow[at] = body[from + 2 * at] ?? 0
    }
    return narrow.toString('latin1', 0, length)
  }

  function context(file: number, line: number, column: number, either = contextLines): SourceContext | undefined {
    const first = files.first[file] ?? 0
    // The last entry is the end of the file. After a final line break there is no line.
    const end = (files.first[file + 1] ?? 0) - 1
    if (file < 0 || file >= files.unit.length || files.unit[file] === 0) return undefined
    const last = end - 1 > first && files.lineAt[end] === files.lineAt[end - 1] ? end - 2 : end - 1
    const here = first + line
    if (line < 0 || here > last) return undefined
    const from = Math.max(first, here - either)
    const to = Math.min(last, here + either)
    const block = blockOf(file, from, to)
    const text = (at: number, origin: number) =>
      (block === undefined ? undefined : lineOf(files, block, { file, from, at })) ?? lineText(file, at, origin)
    const pre: string[] = []
    for (let at = from; at < here; at++) pre.push(text(at, 0))
    const post: string[] = []
    for (let at = here + 1; at <= to; at++) post.push(text(at, 0))
    return { pre, line: text(here, column), post }
  }

  /** Several lines, decoded together; undefined if they are long. */
  function blockOf(file: number, from: number, to: number): string | undefined {
    const [start, end] = [files.lineAt[from] ?? 0, files.lineAt[to + 1] ?? 0]
    return end - start > blockBytesMax ? undefined : slice(files.unit[file] ?? 1, start, end)
  }

  return context
}

/** Opens a view of a flat map. It keeps the map, a table of line starts and the requested sources. */
export function openView(flat: FlatMap): MapView {
  const { segments, files, scopes } = flat
  const script = files.unit.length - 1
  const context = contextReader(files)
  const scriptLines = scopes && linesOf(files, script)
  const sourceText = textReader(flat.sources)
  const nameText = textReader(flat.names)
  const scopeText = scopes && textReader(scopes.texts)
  const sources = new Map<number, OriginalSource>()

  function sourceOf(file: number): OriginalSource {
    const cached = sources.get(file)
    if (cached) return cached
    const loaded = { file, path: sourceText(file) || undefined }
    sources.set(file, loaded)
    return loaded
  }

  function original(line: number, column: number): Original | undefined {
    const at = segments ? segmentAt(segments, line, column) : -1
    const file = segments?.source[at] ?? -1
    if (!segments || at < 0 || file < 0) return undefined
    const name = segments.name[at] ?? -1
    return {
      source: sourceOf(file),
      line: segments.sourceLine[at] ?? 0,
      column: segments.sourceColumn[at] ?? 0,
      name: name < 0 ? undefined : nameText(name),
    }
  }

  function functionAt(line: number, column: number): string | undefined {
    if (!scopes || !scopeText || !scriptLines || line + 1 >= scriptLines.length) return undefined
    const at = lastAtMost(scopes.at, (scriptLines[line] ?? 0) + column)
    const name = scopes.name[at] ?? -2
    if (name < 0) return name === -1 ? '' : undefined
    return scopeText(name)
  }

  return {
    mapped: segments !== undefined,
    original,
    functionAt,
    context: (file, line, column) => context(file, line, column),
    scriptContext: (line, column, lines) => context(script, line, column, lines),
  }
}
