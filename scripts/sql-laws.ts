import { isProduct, type Law } from './law.ts'
import { child, list, nameOf, type Tree, walk } from './tree.ts'

const statement =
  /^\s*(SELECT\s|INSERT\s+INTO\s|CREATE\s+(TABLE|DATABASE|INDEX|UNIQUE|VIEW|MATERIALIZED)\b|ALTER\s+TABLE\s|DELETE\s+FROM\s|UPDATE\s+\S+\s+SET\s|DROP\s+(TABLE|DATABASE|INDEX)\s|PRAGMA\s|KILL\s+QUERY\s)/
const lowerStatement =
  /^\s*(select\s+[\w.*,\s()"]+\s+from\s+\w+|insert into\s|create table\s|alter table\s|delete from\s|pragma\s)/
export const sql: Law = {
  name: 'sql',
  sentence: 'SQL appears only in store/',
  find(source, report) {
    if (!isProduct(source.path) || source.path.startsWith('src/store/')) return
    walk(source.root, (node) => {
      const first = node.type === 'TemplateLiteral' ? list(node, 'quasis')[0] : undefined
      const text = first ? (first.value as { raw: string }).raw : node.type === 'Literal' ? node.value : undefined
      if (typeof text === 'string' && (statement.test(text) || lowerStatement.test(text)))
        report(node.start, `SQL: ${text.trim().slice(0, 30)}`)
    })
  },
}

export const hashes: Law = {
  name: 'hashes',
  sentence: 'hashes leave SQL as numbers (hashText makes text of them): hex() drops leading zero bytes of a number',
  find(source, report) {
    if (!isProduct(source.path)) return
    for (const found of source.text.matchAll(/\b(?:hex|bin)\(\s*(?:\w+\.)?(?:group_hash|user_hash|hash)\b/g))
      report(found.index, found[0])
  },
}

/** With toDateTime, the engine rounds a part's minimum to seconds first: 0.5 s before the bound it skipped a part. */
export const moments: Law = {
  name: 'moments',
  sentence: 'times with fractions are compared with toDateTime64: beside toDateTime the engine leaves rows out',
  find(source, report) {
    if (!isProduct(source.path)) return
    for (const found of source.text.matchAll(/\b(?:timestamp|received|start)\s*(?:[<>]=?|=|BETWEEN)\s*toDateTime\(/g))
      report(found.index, found[0])
  },
}

/** Methods of arrays that take the promise of their callback for its answer, or drop it. */
const unawaited = new Set(['filter', 'some', 'every', 'find', 'findIndex', 'findLast', 'forEach', 'sort', 'toSorted'])
/** Whether a chain of members and calls names the meta store: `deps.meta.retention.prune(1)`. */
function namesStore(node: Tree | undefined): boolean {
  for (let at = node; at; at = child(at, 'callee') ?? child(at, 'object'))
    if (nameOf(at) === 'meta' || nameOf(child(at, 'property')) === 'meta') return true
  return false
}

export const awaiting: Law = {
  name: 'awaiting',
  sentence: 'what the meta store answers is awaited: no `void meta.…`, no async callback for filter, some or forEach',
  find(source, report) {
    if (!isProduct(source.path)) return
    walk(source.root, (node) => {
      const argument = node.type === 'UnaryExpression' && node.operator === 'void' ? child(node, 'argument') : undefined
      if (argument?.type === 'CallExpression' && namesStore(argument))
        report(node.start, 'a promise that nobody awaits')
      if (node.type !== 'CallExpression' || !unawaited.has(nameOf(child(child(node, 'callee'), 'property')))) return
      if (list(node, 'arguments')[0]?.async === true) report(node.start, 'an async callback that nobody awaits')
    })
  },
}
