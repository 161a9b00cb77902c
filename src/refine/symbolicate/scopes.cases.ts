import { parseSync } from 'oxc-parser'

// A full parser to hold the scanner of scopes against; a development dependency, so the product does not have it.

export type Tree = { type: string; start: number; end: number; method?: boolean; kind?: string }

/** The syntax tree of a script or a module; offsets in UTF-16 units. Throws when it is neither. */
export function parseTree(code: string): Tree {
  for (const sourceType of ['module', 'script'] as const) {
    const { program, errors } = parseSync('a.js', code, { sourceType, preserveParens: false })
    if (errors.length === 0) return program as unknown as Tree
  }
  throw new Error('no JavaScript')
}

const isTree = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'

/** The parts of a node, in no order. */
export const list = (node: Tree): Tree[] => Object.values(node).flat().filter(isTree) as unknown as Tree[]
