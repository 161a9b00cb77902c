import type { Search, Term } from './ast.ts'

/** Formats a tree as a short text, so that a case fits on one line. */
export function short(node: Search | undefined): string {
  if (!node) return '-'
  if (node.op === 'not') return `!${short(node.of)}`
  if ('of' in node) return `(${node.of.map(short).join(node.op === 'and' ? ' & ' : ' | ')})`
  return leaf(node)
}

function leaf(node: Term): string {
  switch (node.op) {
    case 'text':
      return node.quoted ? `"${node.value}"` : `${node.wild ? '~' : ''}${node.value}`
    case 'match':
      return `${node.tag ? 'tag ' : ''}${node.key}=${node.values.map((item) => `${item.wild ? '~' : ''}${item.text}`).join('/')}`
    case 'has':
      return `has ${node.tag ? 'tag ' : ''}${node.key}`
    case 'is':
      return `is ${node.value}`
    case 'number':
      return `${node.tag ? 'tag ' : ''}${node.key}${node.compare}${node.value}`
    case 'date':
      return `${node.key}${node.compare}${'agoMs' in node.moment ? `now-${node.moment.agoMs / 3_600_000}h` : new Date(node.moment.atMs).toISOString()}`
    case 'flag':
      return `${node.key} is ${node.value}`
    case 'measure':
      return `${node.key}${node.aggregate ? '()' : ''}${node.compare}${node.value} ${node.unit}`
  }
}
