import type { RestLogLine } from '../../../contract/explore/logs.ts'

/** Lines that are missing between two others. `hour`: when they were dropped, as the ledger counts by the hour. */
export type Gap = {
  id: string
  count: number
  reason: 'slow' | 'dropped'
  at: string
  hour?: { fromMs: number; toMs: number }
}

/** One row of the list. `detail` is the open part of the line before it. */
export type Item =
  | { kind: 'line'; id: string; line: RestLogLine }
  | { kind: 'detail'; id: string; line: RestLogLine }
  | { kind: 'fold'; id: string; lines: readonly RestLogLine[] }
  | { kind: 'gap'; id: string; gap: Gap }

/** Fewer repeated lines in a row stay lines: a fold would not save space. */
const foldMin = 4

const isAlike = (a: RestLogLine, b: RestLogLine): boolean =>
  a.pattern !== '' && a.pattern === b.pattern && a.projectID === b.projectID && a.level === b.level

/** The end of the run of lines of one pattern that begins at `from`. An open line ends a run. */
function endOfRun(lines: readonly RestLogLine[], from: number, isEnd: (line: RestLogLine) => boolean): number {
  const first = lines[from]
  let to = from + 1
  for (let line = lines[to]; first && line && isAlike(first, line) && !isEnd(line); line = lines[to]) to++
  return to
}

/**
 * The rows of lines, newest first: runs of one pattern are folded unless they were opened, gaps stand at their time, and
 * the open line is followed by its detail.
 */
export function itemsOf(
  lines: readonly RestLogLine[],
  { gaps, openId, unfolded }: { gaps: readonly Gap[]; openId: string; unfolded: ReadonlySet<string> },
): Item[] {
  const items: Item[] = []
  const byTime = gaps.toSorted((a, b) => (a.at < b.at ? 1 : -1))
  let gapAt = 0
  const addGaps = (until: string) => {
    for (let gap = byTime[gapAt]; gap && gap.at >= until; gap = byTime[++gapAt])
      items.push({ kind: 'gap', id: gap.id, gap })
  }
  const isEnd = (line: RestLogLine) => line.id === openId || (byTime[gapAt]?.at ?? '') >= line.timestamp
  let from = 0
  for (let first = lines[from]; first; first = lines[from]) {
    addGaps(first.timestamp)
    const to = first.id === openId ? from + 1 : endOfRun(lines, from, isEnd)
    const run = lines.slice(from, to)
    // A run is named by its last line: new lines of a live tail come before the first.
    const id = `fold ${run.at(-1)?.id}`
    if (run.length >= foldMin && !unfolded.has(id)) items.push({ kind: 'fold', id, lines: run })
    else for (const line of run) items.push({ kind: 'line', id: line.id, line })
    if (first.id === openId) items.push({ kind: 'detail', id: `detail ${first.id}`, line: first })
    from = to
  }
  addGaps('')
  return items
}

/** The position of each row in px, and the whole height at the end. Only details have a height of their own. */
export function offsetsOf(items: readonly Item[], rowPx: number, detailPx: number): Float64Array {
  const offsets = new Float64Array(items.length + 1)
  for (const [at, { kind }] of items.entries())
    offsets[at + 1] = (offsets[at] ?? 0) + (kind === 'detail' ? detailPx : rowPx)
  return offsets
}

/** The first row that ends below `px`. */
export function rowAtPx(offsets: Float64Array, px: number): number {
  let [low, high] = [0, offsets.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((offsets[middle + 1] ?? 0) > px) high = middle
    else low = middle + 1
  }
  return low
}

type Part = { text: string; isVarying: boolean }

/** The words of a folded run: those that differ between its lines vary. A sample of the lines is compared. */
export function foldedText(lines: readonly RestLogLine[]): Part[] {
  const sample = [lines[0], lines[lines.length >> 1], lines.at(-1)].map((line) => (line?.message ?? '').split(/\s+/))
  const [first = [], ...others] = sample
  if (others.some((words) => words.length !== first.length))
    return [{ text: lines[0]?.message ?? '', isVarying: false }]
  const parts: Part[] = []
  for (const [at, word] of first.entries()) {
    const isVarying = others.some((words) => words[at] !== word)
    const last = parts.at(-1)
    if (isVarying) parts.push({ text: '*', isVarying })
    else if (last && !last.isVarying) last.text += ` ${word}`
    else parts.push({ text: word, isVarying })
  }
  return parts
}

/** The parts of a shape, whose stars are its varying parts. */
export const shapeParts = (shape: string): Part[] =>
  shape.split(/(\*)/).flatMap((text) => (text === '' ? [] : [{ text, isVarying: text === '*' }]))

const varying =
  /"[^"\n]{0,80}"|\b[\w.-]+=[^\s,;]+|\b[0-9a-f]{8}-[0-9a-f-]{27}\b|\b\d[\d.,:]*(?:\s?(?:ms|s|%|[kMG]i?B|B))?\b/g
const markedCharactersMax = 500

/** The parts of a message: numbers, quoted values and `name=value` vary between lines of one pattern. */
export function messageParts(message: string): Part[] {
  const text = message.slice(0, markedCharactersMax)
  const parts: Part[] = []
  let at = 0
  for (const match of text.matchAll(varying)) {
    if (match.index > at) parts.push({ text: text.slice(at, match.index), isVarying: false })
    parts.push({ text: match[0], isVarying: true })
    at = match.index + match[0].length
  }
  if (at < text.length) parts.push({ text: text.slice(at), isVarying: false })
  return parts
}
