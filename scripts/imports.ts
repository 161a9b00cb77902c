/** The import graph of the sources, and its cycles. */
import { dirname, join } from 'node:path/posix'
import { child, list, type Source, walk } from './tree.ts'

/** `typeOnly`: the import does not exist at run time. */
type Import = { from: string; at: number; typeOnly: boolean }

/** Everything that a file imports or re-exports, including types and dynamic imports. */
export function importsOf(source: Source): Import[] {
  const found: Import[] = []
  walk(source.root, (node) => {
    const from = child(node, node.type === 'TSImportType' && !node.source ? 'argument' : 'source')
    const importing = [
      'ImportDeclaration',
      'ExportNamedDeclaration',
      'ExportAllDeclaration',
      'ImportExpression',
      'TSImportType',
    ].includes(node.type)
    if (!importing || typeof from?.value !== 'string') return
    const named = list(node, 'specifiers')
    const typeOnly =
      node.type === 'TSImportType' ||
      node.importKind === 'type' ||
      node.exportKind === 'type' ||
      (named.length > 0 && named.every((specifier) => specifier.importKind === 'type'))
    found.push({ from: from.value, at: node.start, typeOnly })
  })
  return found
}

/**
 * Groups of files that import each other directly or indirectly, the largest first. Type imports count: whoever reads
 * one file of a group must know them all. `files` are all files of the graph. Imports of other files are ignored.
 */
export function cyclesOf(files: readonly Source[]): string[][] {
  const known = new Set(files.map((file) => file.path))
  const edges = new Map(
    files.map((file) => {
      const targets = importsOf(file)
        .filter((imported) => imported.from.startsWith('.'))
        .map((imported) => join(dirname(file.path), imported.from))
      return [file.path, targets.filter((target) => known.has(target))]
    }),
  )
  return components(edges).filter((group) => group.length > 1)
}

/** Tarjan's strongly connected components. It has an explicit stack, because chains of imports are deep. */
function components(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>()
  const low = new Map<string, number>()
  const open: string[] = []
  const isOpen = new Set<string>()
  const found: string[][] = []
  const lower = (node: string, value: number) => low.set(node, Math.min(low.get(node) ?? value, value))
  for (const start of edges.keys()) {
    if (order.has(start)) continue
    const work: { node: string; next: number }[] = [{ node: start, next: 0 }]
    for (let at = work.at(-1); at; at = work.at(-1)) {
      const { node, next } = at
      if (next === 0) {
        order.set(node, order.size)
        lower(node, order.get(node) ?? 0)
        open.push(node)
        isOpen.add(node)
      }
      const target = edges.get(node)?.[next]
      if (target !== undefined) {
        at.next = next + 1
        if (!order.has(target)) work.push({ node: target, next: 0 })
        else if (isOpen.has(target)) lower(node, order.get(target) ?? 0)
        continue
      }
      work.pop()
      const parent = work.at(-1)
      if (parent) lower(parent.node, low.get(node) ?? 0)
      if (low.get(node) !== order.get(node)) continue
      const group = open.splice(open.indexOf(node))
      for (const member of group) isOpen.delete(member)
      found.push(group.sort())
    }
  }
  return found.sort((a, b) => b.length - a.length)
}
