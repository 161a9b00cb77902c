/** Laws about exports, checked over all sources together. */
import { dirname, join } from 'node:path/posix'
import { cyclesOf } from './imports.ts'
import { type Breach, isProduct, isTest, type TreeLaw } from './law.ts'
import { child, list, nameOf, type Source, type Tree, walk } from './tree.ts'

/** The largest allowed number of files in an import cycle, including type imports. Only lower this number. */
export const cycleFilesMax = 3

const cycles: TreeLaw = {
  name: 'cycles',
  sentence: `at most ${cycleFilesMax} files import each other in a circle, types included`,
  findAll: (sources) =>
    cyclesOf(sources.filter((source) => isProduct(source.path)))
      .filter((group) => group.length > cycleFilesMax)
      .map((group) => ({
        path: group[0] ?? '',
        line: 1,
        what: `${group.length} files in a circle: ${group.join(' ')}`,
      })),
}

/** Next.js and the test runner read the exports of these files by name. */
const isReadByTools = (path: string): boolean =>
  path.startsWith('src/web/app/') ||
  /^src\/web\/(request|proxy|instrumentation(-client)?)\.ts$/.test(path) ||
  /(^|\/)(vitest|next|postcss)\.config\.\w+$/.test(path) ||
  path === 'e2e/setup.ts' ||
  path.endsWith('.d.ts')

type Exported = { name: string; at: number }

/** Names that a pattern binds: `a`, `{ a, b: c }`, `[a, ...b]`. */
function boundNames(node: Tree | undefined): Tree[] {
  if (!node) return []
  if (node.type === 'Identifier') return [node]
  if (node.type === 'ObjectPattern')
    return list(node, 'properties').flatMap((property) =>
      boundNames(child(property, 'value') ?? child(property, 'argument')),
    )
  if (node.type === 'ArrayPattern') return list(node, 'elements').flatMap(boundNames)
  return boundNames(child(node, 'left') ?? child(node, 'argument'))
}

function exportsOf(source: Source): Exported[] {
  return list(source.root, 'body').flatMap((statement): Exported[] => {
    if (statement.type === 'ExportDefaultDeclaration') return [{ name: 'default', at: statement.start }]
    if (statement.type !== 'ExportNamedDeclaration') return []
    const declared = child(statement, 'declaration')
    if (!declared)
      return list(statement, 'specifiers').map((named) => ({ name: nameOf(child(named, 'exported')), at: named.start }))
    const ids =
      declared.type === 'VariableDeclaration'
        ? list(declared, 'declarations').flatMap((declaration) => boundNames(child(declaration, 'id')))
        : boundNames(child(declared, 'id'))
    return ids.map((id) => ({ name: nameOf(id), at: statement.start }))
  })
}

/** Everything that a file imports, as `path name`, or `path *` for a whole module. */
function takenBy(source: Source): string[] {
  const taken: string[] = []
  const take = (from: Tree | undefined, names: readonly string[]) => {
    if (typeof from?.value !== 'string' || !from.value.startsWith('.')) return
    const path = join(dirname(source.path), from.value)
    for (const name of names) taken.push(`${path} ${name}`)
  }
  for (const statement of list(source.root, 'body')) {
    const names = list(statement, 'specifiers').map((named) => {
      if (named.type === 'ImportDefaultSpecifier') return 'default'
      if (named.type === 'ImportNamespaceSpecifier') return '*'
      return nameOf(child(named, statement.type === 'ImportDeclaration' ? 'imported' : 'local'))
    })
    take(child(statement, 'source'), statement.type === 'ExportAllDeclaration' ? ['*'] : names)
  }
  if (!/\bimport\(/.test(source.text)) return taken
  walk(source.root, (node, above) => {
    if (node.type === 'TSImportType') {
      const qualifier = child(node, 'qualifier')
      const first = child(qualifier, 'left') ?? qualifier
      take(child(node, 'source') ?? child(node, 'argument'), [nameOf(first) || '*'])
    }
    if (node.type !== 'ImportExpression') return
    // `const { a } = await import('…')` imports a name. Any other dynamic import takes the whole module.
    const binding = above.findLast((ancestor) => ancestor.type === 'VariableDeclarator')
    const awaited = above.at(-1)?.type === 'AwaitExpression' && child(binding, 'init') === above.at(-1)
    const pattern = awaited ? child(binding, 'id') : undefined
    const named =
      pattern?.type === 'ObjectPattern'
        ? list(pattern, 'properties').map((property) => nameOf(child(property, 'key')))
        : ['*']
    take(child(node, 'source'), named)
  })
  return taken
}

/** Exports that no other file imports. `sources` must be all files of the repository. */
function needlessExports(sources: readonly Source[]): (Breach & Exported)[] {
  const taken = new Set(sources.flatMap(takenBy))
  return sources
    .filter((source) => !isReadByTools(source.path))
    .flatMap((source) =>
      exportsOf(source)
        .filter(({ name }) => !taken.has(`${source.path} ${name}`) && !taken.has(`${source.path} *`))
        .map(({ name, at }) => ({
          path: source.path,
          line: source.lineOf(at),
          what: `${name} is exported, and no other file imports it`,
          name,
          at,
        })),
    )
}

const exported: TreeLaw = {
  name: 'exports',
  sentence: 'what a file exports is imported by another file',
  findAll: needlessExports,
}

/** Files that a process, a thread, a framework or a command starts. */
const isStarted = (source: Source, texts: string): boolean =>
  isReadByTools(source.path) ||
  source.text.includes('process.argv[1] ===') ||
  texts.includes(`/${source.path.split('/').slice(-2).join('/')}'`) ||
  texts.includes(`'./${source.path.split('/').at(-1)}'`)

const fixtureName = /(^|[-.])(fixtures?|mocks?|fakes?|stubs?|samples?|rig)([-.])/

const fixtures: TreeLaw = {
  name: 'fixtures',
  sentence: 'what only tests use is a *.cases.ts, and no part of the product',
  findAll: (sources) => {
    const product = sources.filter((source) => isProduct(source.path))
    const users = sources.filter((source) => !isTest(source.path) && !source.path.startsWith('e2e/'))
    const taken = new Set(users.flatMap(takenBy).map((item) => item.split(' ')[0]))
    const tested = new Set(
      sources
        .filter((source) => !users.includes(source))
        .flatMap(takenBy)
        .map((item) => item.split(' ')[0]),
    )
    const texts = users.map((source) => source.text).join('\n')
    return product.flatMap((source) => {
      const breach = (what: string) => [{ path: source.path, line: 1, what }]
      if (fixtureName.test(source.path.split('/').at(-1) ?? '')) return breach('a fixture among the product files')
      if (taken.has(source.path) || !tested.has(source.path) || isStarted(source, texts)) return []
      return breach('only tests import it')
    })
  },
}

/** Laws over all sources together. */
/** More files than that make no list that a newcomer reads. */
export const folderFilesMax = 40

const folders: TreeLaw = {
  name: 'folders',
  sentence: `a folder of src has at most ${folderFilesMax} product files beside each other`,
  findAll: (sources) => {
    const product = sources.filter(({ path }) => isProduct(path))
    return [...Map.groupBy(product, ({ path }) => dirname(path))]
      .filter(([, files]) => files.length > folderFilesMax)
      .map(([folder, files]) => ({ path: folder, line: 1, what: `${files.length} files` }))
  },
}

export const treeLaws: readonly TreeLaw[] = [cycles, exported, fixtures, folders]
