/** Sources as syntax trees, and how the laws walk over them. */
import { parseSync } from 'oxc-parser'

/** A node of the syntax tree (ESTree with TypeScript), as far as the laws read it. */
export type Tree = { type: string; start: number; end: number; [key: string]: unknown }
/** One source file: path from the root of the repository with `/`, its text, its tree and its comments. */
export type Source = {
  path: string
  text: string
  root: Tree
  comments: { start: number; end: number }[]
  lineOf: (at: number) => number
}
/** Parses `text` as the file `path`; throws when it is no TypeScript. */
export function read(path: string, text: string): Source {
  const parsed = parseSync(path, text)
  if (parsed.errors.length > 0) throw new Error(`${path}: ${parsed.errors[0]?.message}`)
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  const lineOf = (at: number) => {
    let low = 0
    let high = starts.length
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((starts[middle] ?? 0) <= at) low = middle
      else high = middle
    }
    return low + 1
  }
  return { path, text, root: parsed.program as unknown as Tree, comments: parsed.comments, lineOf }
}

const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && typeof (value as Tree).type === 'string'
export const child = (node: Tree | undefined, key: string): Tree | undefined => {
  const value = node?.[key]
  return isTree(value) ? value : undefined
}
const children = (node: Tree): Tree[] =>
  Object.values(node).flatMap((value) => (Array.isArray(value) ? value.filter(isTree) : isTree(value) ? [value] : []))
export const list = (node: Tree | undefined, key: string): Tree[] => {
  const value = node?.[key]
  return Array.isArray(value) ? value.filter(isTree) : []
}
export const nameOf = (node: Tree | undefined): string => (typeof node?.name === 'string' ? node.name : '')

/** Calls `visit` for every node, outermost first; `above` are its ancestors, nearest last. */
export function walk(node: Tree, visit: (node: Tree, above: Tree[]) => void, above: Tree[] = []): void {
  visit(node, above)
  const inner = [...above, node]
  for (const item of children(node)) walk(item, visit, inner)
}

/** `a.b` as text for a member of a plain name, '' for anything else. */
export const memberOf = (node: Tree | undefined): string =>
  node?.type === 'MemberExpression' && node.computed !== true
    ? `${nameOf(child(node, 'object'))}.${nameOf(child(node, 'property'))}`
    : ''

/**
 * Lines of code and of comments of one file, blank lines left out. A line that holds both counts as code.
 */
export function countLines(source: Source): { code: number; comment: number } {
  let masked = source.text
  for (const comment of source.comments)
    masked =
      masked.slice(0, comment.start) +
      masked.slice(comment.start, comment.end).replace(/\S/g, ' ') +
      masked.slice(comment.end)
  const before = source.text.split('\n').filter((line) => line.trim() !== '').length
  const code = masked.split('\n').filter((line) => line.trim() !== '').length
  return { code, comment: before - code }
}
