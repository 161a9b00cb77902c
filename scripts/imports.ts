/** What files import of each other. */
import { child, list, type Source, walk } from './tree.ts'

/** `typeOnly`: nothing of it is left when the program runs. */
export type Import = { from: string; at: number; typeOnly: boolean }

/** Everything that a file imports or passes on, types and dynamic imports included. */
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
      (named.length > 0 && named.every((item) => item.importKind === 'type'))
    found.push({ from: from.value, at: node.start, typeOnly })
  })
  return found
}
