/** Laws about the text of sources: cited pages, spreads of literals, names. */
import { existsSync, globSync } from 'node:fs'
import { join } from 'node:path'
import type { Law } from './law.ts'
import { child, list, nameOf, type Tree, walk } from './tree.ts'

const root = join(import.meta.dirname, '..')

/** Matches names such as `docs/limits.md` and `ARCHITECTURE.md`. */
const citation = /(?<![\w/}.-])(?:[\w.-]+\/)*[\w-]+\.md\b/g

/** Whether the repository has the page, as a full path or as the name of a page in docs/. */
function isPage(path: string): boolean {
  if (existsSync(join(root, path))) return true
  return !path.includes('/') && globSync(`docs/**/${path}`, { cwd: root }).length > 0
}

export const citations: Law = {
  name: 'citations',
  sentence: 'a comment cites only pages that are in the repository',
  find(source, report) {
    // `issues/7.md` is a URL path of the product: an issue as Markdown.
    for (const { start, end } of source.comments)
      for (const match of source.text.slice(start, end).matchAll(citation))
        if (!/^issues\//.test(match[0]) && !isPage(match[0]))
          report(start + match.index, `${match[0]} is not in the repository`)
  },
}

export const spreads: Law = {
  name: 'spreads',
  sentence: 'no spread of a literal: its parts can stand there themselves',
  find(source, report) {
    walk(source.root, (node) => {
      if (node.type !== 'SpreadElement' && node.type !== 'JSXSpreadAttribute') return
      const type = child(node, 'argument')?.type
      if (type === 'ObjectExpression' || type === 'ArrayExpression') report(node.start, 'a spread of a literal')
    })
  },
}

/**
 * Words that names of files and exports must not contain, each with the common term. Migrations and benches are exempt:
 * data folders and the page of results contain their names. Never remove an entry.
 */
const names: Readonly<Record<string, string>> = {
  bury: 'quarantine',
  crew: 'worker pool',
  given: 'preloaded',
  patiently: 'with retry',
  sift: 'deduplicate',
  standing: 'status, already stored',
  surely: 'idempotent',
  trial: 'crash guard',
  clockwork: 'scheduled transitions',
  desk: 'cache, preview, service',
  drill: 'breakdown',
  hire: 'spawn',
  intake: 'request, request log',
  regroup: 'reprocessing',
  thinning: 'downsampling',
  wish: 'filter',
  beside: 'in flight, concurrent',
  complain: 'add error',
  figure: 'stats',
  marks: 'annotations',
  remark: 'meta note, error',
  room: 'budget, reservation, state',
  said: 'reported',
  sides: 'ends',
  signs: 'diagnostics',
  tell: 'notify, send',
  thin: 'downsample',
  thinned: 'downsampled',
  told: 'reported, notified',
  turn: 'lock, transition',
}

/** Splits `createAcceptKey` and `create-accept-key` into create, accept, key. */
const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.toLowerCase())

function exportedNames(root: Tree): Tree[] {
  return list(root, 'body')
    .filter((statement) => statement.type === 'ExportNamedDeclaration')
    .flatMap((statement) => {
      const declared = child(statement, 'declaration')
      const ids = list(declared, 'declarations').map((declaration) => child(declaration, 'id'))
      return [child(declared, 'id'), ...ids].filter((id) => id !== undefined)
    })
}

const suggestion = (name: string): string | undefined => {
  const word = wordsOf(name).find((item) => item in names || item.replace(/s$/, '') in names)
  const instead = word && (names[word] ?? names[word.replace(/s$/, '')])
  return word && `${name}: not ${word}, but ${instead}`
}

export const fieldNames: Law = {
  name: 'names',
  sentence: 'files and exports have names of the field',
  find(source, report) {
    if (source.path.startsWith('src/store/meta/schema/') || source.path.startsWith('bench/')) return
    const file = suggestion(source.path.split('/').at(-1) ?? '')
    if (file) report(0, file)
    for (const id of exportedNames(source.root)) {
      const found = suggestion(nameOf(id))
      if (found) report(id.start, found)
    }
  },
}
