import { parseSync } from 'oxc-parser'

// A full parser to compare the scanner of scopes with. It is a development dependency and not part of the product.

export type Tree = { type: string; start: number; end: number; method?: boolean; kind?: string }

/** Parses a script or a module into a syntax tree with offsets in UTF-16 units. Throws if it is neither. */
export function parseTree(code: string): Tree {
  for (const sourceType of ['module', 'script'] as const) {
    const { program, errors } = parseSync('a.js', code, { sourceType, preserveParens: false })
    if (errors.length === 0) return program as unknown as Tree
  }
  throw new Error('no JavaScript')
}

const isTree = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'

/** The child nodes of a node, in no particular order. */
export const list = (node: Tree): Tree[] => Object.values(node).flat().filter(isTree) as unknown as Tree[]
