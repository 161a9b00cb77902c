/** Parses sources into syntax trees, and walks the trees for the laws. */
import { parseSync } from 'oxc-parser'

/** A node of the syntax tree (ESTree with TypeScript). Only the fields that the laws read are typed. */
export type Tree = { type: string; start: number; end: number; [key: string]: unknown }
/** A source file: its path from the root of the repository with `/`, its text, tree and comments. */
export type Source = {
  path: string
  text: string
  root: Tree
  comments: { start: number; end: number }[]
  lineOf: (at: number) => number
}
/** Parses `text` as the file `path`. Throws if it is not valid TypeScript. */
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
export const list = (node: Tree | undefined, key: string): Tree[] => {
  const value = node?.[key]
  return Array.isArray(value) ? value.filter(isTree) : []
}
export const nameOf = (node: Tree | undefined): string => (typeof node?.name === 'string' ? node.name : '')

/**
 * Calls `visit` for every node, parents first. `above` are its ancestors, the nearest last; the list changes after the
 * call. Some forty laws walk three thousand trees, so it makes no lists of its own.
 */
export function walk(node: Tree, visit: (node: Tree, above: Tree[]) => void, above: Tree[] = []): void {
  visit(node, above)
  above.push(node)
  for (const key in node) {
    const value = node[key]
    if (Array.isArray(value)) {
      for (const item of value) if (isTree(item)) walk(item, visit, above)
    } else if (isTree(value)) walk(value, visit, above)
  }
  above.pop()
}

/** Returns `a.b` for a member of an identifier, and '' for anything else. */
export const memberOf = (node: Tree | undefined): string =>
  node?.type === 'MemberExpression' && node.computed !== true
    ? `${nameOf(child(node, 'object'))}.${nameOf(child(node, 'property'))}`
    : ''

/**
 * Counts lines of code and of comments in one file, without blank lines. A line with both counts as code.
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
