import { normalizedName } from './trace-runs.ts'
import { type TraceSpans, textOf } from './trace-spans.ts'
import { mainRoot, timesOf } from './trace-times.ts'
import { childrenOf, extentOf, type TraceTree } from './trace-tree.ts'

/** One of two compared traces. `projects`: the names of its projects, null for those that the reader may not read. */
type ComparedTrace = { spans: TraceSpans; tree: TraceTree; projects: readonly (string | null)[] }

/** Spans of one trace that do the same below the same parent. Times in microseconds; `fromUs` after the trace's start. */
export type ComparedSide = {
  count: number
  totalUs: number
  selfUs: number
  fromUs: number
  toUs: number
  failed: number
  /** Id of the longest of them, '' for a missing parent. */
  spanId: string
}

/** `parent` is the number of the row above; -1 for a root. A side without such spans is undefined. */
type ComparedRow = {
  parent: number
  depth: number
  kind: 'span' | 'missing' | 'hidden'
  op: string
  name: string
  project: string | null
  a: ComparedSide | undefined
  b: ComparedSide | undefined
}

type TraceComparison = {
  /** Each row before its children, in the order of start. */
  rows: ComparedRow[]
  /** Rows that were left out because others take more time. */
  leftOut: number
  /** Numbers of the rows whose self time differs most, largest difference first. */
  largest: number[]
}

const largestMax = 5

type Reader = ComparedTrace & {
  selfUs: Float64Array
  startUs: number
  main: number | undefined
  keyOf(node: number): string
}

function readerOf(trace: ComparedTrace): Reader {
  const { spans, tree, projects } = trace
  const forms = new Map<number, string>()
  const formOf = (node: number) => {
    const number = spans.names[node] ?? 0
    const form = forms.get(number) ?? normalizedName(textOf(spans, 'names', node))
    forms.set(number, form)
    return form
  }
  const main = mainRoot(tree)
  return {
    ...trace,
    selfUs: timesOf(spans, tree).selfUs,
    startUs: extentOf(tree).fromUs,
    main,
    keyOf(node) {
      // The roots of two traces of one route belong together, although their names can hold the slug of a page.
      if (node === main) return 'main'
      if (node >= tree.spanCount) return 'missing'
      if (projects[spans.projects[node] ?? 0] === null) return 'hidden'
      return `span ${textOf(spans, 'ops', node)}\n${formOf(node)}`
    },
  }
}

function sideOf({ spans, tree, selfUs, startUs }: Reader, nodes: readonly number[]): ComparedSide | undefined {
  if (nodes.length === 0) return undefined
  const side = { count: nodes.length, totalUs: 0, selfUs: 0, fromUs: Number.POSITIVE_INFINITY, toUs: 0, failed: 0 }
  let longest = nodes[0] ?? 0
  for (const node of nodes) {
    const [start, length] = [(tree.starts[node] ?? 0) - startUs, tree.durations[node] ?? 0]
    side.totalUs += length
    side.selfUs += selfUs[node] ?? 0
    side.fromUs = Math.min(side.fromUs, start)
    side.toUs = Math.max(side.toUs, start + length)
    side.failed += spans.failures[node] === 1 ? 1 : 0
    if (length > (tree.durations[longest] ?? 0)) longest = node
  }
  return { ...side, spanId: spans.ids[longest] ?? '' }
}

type Group = { a: number[]; b: number[]; parent: number; depth: number }

/** The children of all spans of a group, or the roots, by what they do. */
function childGroups(readers: [Reader, Reader], above: Group | undefined, parent: number): Group[] {
  const groups = new Map<string, Group>()
  for (const [at, reader] of readers.entries()) {
    const side = at === 0 ? 'a' : 'b'
    const lists = above ? above[side].map((node) => childrenOf(reader.tree, node)) : [reader.tree.roots]
    for (const list of lists)
      for (let place = 0; place < list.length; place++) {
        const node = list[place] ?? 0
        const key = reader.keyOf(node)
        const group = groups.get(key) ?? { a: [], b: [], parent, depth: above ? above.depth + 1 : 0 }
        groups.set(key, group)
        group[side].push(node)
      }
  }
  return [...groups.values()]
}

function rowOf([readerA, readerB]: [Reader, Reader], { a, b, parent, depth }: Group): ComparedRow {
  const [reader, node] = a[0] === undefined ? [readerB, b[0] ?? 0] : [readerA, a[0]]
  const { spans, tree, projects } = reader
  const project = node < tree.spanCount ? (projects[spans.projects[node] ?? 0] ?? null) : null
  const kind = node >= tree.spanCount ? 'missing' : project === null ? 'hidden' : 'span'
  return {
    parent,
    depth,
    kind,
    op: kind === 'span' ? textOf(spans, 'ops', node) : '',
    name: kind === 'span' ? textOf(spans, 'names', node) : '',
    project,
    a: sideOf(readerA, a),
    b: sideOf(readerB, b),
  }
}

const startOf = ({ a, b }: ComparedRow): number => (a ?? b)?.fromUs ?? 0
/** Smaller differences, as a part of the longer side, are noise and rounded times. */
const noiseShare = 0.01

function differenceOf({ a, b }: ComparedRow): number {
  const [selfA, selfB] = [a?.selfUs ?? 0, b?.selfUs ?? 0]
  const difference = Math.abs(selfB - selfA)
  return difference > Math.max(selfA, selfB) * noiseShare ? difference : 0
}

/** The rows that take most time, with all rows above them, in their order. */
function longestRows(rows: readonly ComparedRow[], max: number): ComparedRow[] {
  if (rows.length <= max) return [...rows]
  const timeOf = ({ a, b }: ComparedRow) => Math.max(a?.totalUs ?? 0, b?.totalUs ?? 0)
  const ranked = [...rows.keys()].sort((p, q) => timeOf(rows[q] as ComparedRow) - timeOf(rows[p] as ComparedRow))
  const kept = new Set<number>()
  for (const at of ranked) {
    const space = max - kept.size
    if (space <= 0) break
    const chain: number[] = []
    // One step too many: a chain that does not fit is not walked to its end, as it can have 50,000 rows.
    for (let above = at; above >= 0 && !kept.has(above) && chain.length <= space; above = rows[above]?.parent ?? -1)
      chain.push(above)
    if (chain.length <= space) for (const above of chain) kept.add(above)
  }
  const places = new Map([...kept].sort((p, q) => p - q).map((at, place) => [at, place]))
  return rows.flatMap((row, at) => (places.has(at) ? [{ ...row, parent: places.get(row.parent) ?? -1 }] : []))
}

/**
 * Compares two traces: spans that do the same (operation, and name without numbers, ids and quoted texts) below the same
 * parent are one row. Nothing recurses, as in `buildTree`. `max`: limit of rows; those with most time stay.
 */
export function compareTraces(a: ComparedTrace, b: ComparedTrace, max: number): TraceComparison {
  const readers: [Reader, Reader] = [readerOf(a), readerOf(b)]
  const all: ComparedRow[] = []
  const open: { group: Group; row: ComparedRow }[] = []
  const push = (above: Group | undefined, parent: number) => {
    const below = childGroups(readers, above, parent).map((group) => ({ group, row: rowOf(readers, group) }))
    // A loop: a trace has up to 100,000 groups below one parent, and spread arguments fill the stack.
    for (const next of below.sort((p, q) => startOf(q.row) - startOf(p.row))) open.push(next)
  }
  push(undefined, -1)
  for (let next = open.pop(); next; next = open.pop()) {
    all.push(next.row)
    push(next.group, all.length - 1)
  }
  const rows = longestRows(all, max)
  const largest = [...rows.keys()]
    .filter((at) => differenceOf(rows[at] as ComparedRow) > 0)
    .sort((p, q) => differenceOf(rows[q] as ComparedRow) - differenceOf(rows[p] as ComparedRow))
    .slice(0, largestMax)
  return { rows, leftOut: all.length - rows.length, largest }
}
