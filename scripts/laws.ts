/**
 * The laws of this repository as functions over parsed sources. src/tidy.test.ts runs them over the repository and over
 * snippets that break them. Rules without a check are not followed, so each rule is a law here.
 */
import { basename, dirname, join } from 'node:path/posix'
import { contract } from './contract-laws.ts'
import { importsOf } from './imports.ts'
import { type Breach, inSource, isProduct, isTest, type Law, type Report } from './law.ts'
import { writes } from './operation-laws.ts'
import { awaiting, hashes, moments, sql } from './sql-laws.ts'
import { assertions, failures, stopwatch } from './test-laws.ts'
import { citations, fieldNames, spreads } from './text-laws.ts'
import { child, list, memberOf, nameOf, type Source, type Tree, walk } from './tree.ts'
import { features, timeTexts } from './web-laws.ts'

/** All violations of `law` in `source`, in the order of the text. */
export function breaches(law: Law, source: Source): Breach[] {
  const found: Breach[] = []
  law.find(source, (at, what) => found.push({ path: source.path, line: source.lineOf(at), what }))
  return found.sort((a, b) => a.line - b.line)
}

// ---- which stage may import which

const everywhere = ['base']
const mayImport: Readonly<Record<string, readonly string[]>> = {
  web: ['operations', 'query', 'alert', 'trackers', 'auth', 'store', 'contract', 'domain', 'wire'],
  api: ['operations', 'query', 'alert', 'trackers', 'auth', 'store', 'contract', 'domain', 'wire'],
  jobs: ['operations', 'alert', 'trackers', 'query', 'store', 'contract', 'domain', 'wire'],
  operations: ['alert', 'trackers', 'query', 'auth', 'store', 'contract', 'domain', 'wire'],
  alert: ['trackers', 'query', 'store', 'contract', 'domain', 'wire'],
  // Requests to issue trackers and what they send. Alert rules create tracker issues, too.
  trackers: ['store', 'contract', 'domain', 'wire'],
  ingest: ['journal', 'auth', 'store', 'domain', 'wire'],
  refine: ['journal', 'store', 'contract', 'domain', 'wire'],
  query: ['store', 'contract', 'domain', 'wire'],
  auth: ['store', 'domain', 'wire'],
  journal: ['domain', 'wire'],
  // The parts that main, server and app share: child processes, the proxy, messages between processes.
  serve: ['journal', 'auth', 'store', 'contract', 'domain', 'wire'],
  backup: ['journal', 'store', 'domain', 'wire'],
  store: ['contract', 'domain', 'wire'],
  contract: ['domain', 'wire'],
  domain: ['wire'],
  wire: [],
  base: [],
}
/** Allowed exceptions: types that cross a boundary in one place. */
const allowedTypes: Readonly<Record<string, string>> = {
  'src/api/ src/processes/parts.ts': 'routes take the App as their argument',
  'src/web/handle.ts src/processes/parts.ts': 'the only place where the screens reach the App',
}

/** The folder under src that contains a file, or '' for a file directly in src. */
const stageOf = (path: string): string => {
  const [, first = '', second] = path.split('/')
  return second === undefined ? '' : first
}

function directionBreach(path: string, target: string, typeOnly: boolean): string | undefined {
  if (
    typeOnly &&
    Object.keys(allowedTypes).some((pair) => path.startsWith(pair.split(' ')[0] ?? '') && target === pair.split(' ')[1])
  )
    return undefined
  if (!inSource(target)) return `imports ${target}, which is no part of src`
  const here = stageOf(path)
  const there = stageOf(target)
  if (here === 'processes' || everywhere.includes(there) || (here !== '' && here === there)) return undefined
  return (mayImport[here] ?? []).includes(there) ? undefined : `${here || path} may not import ${there || target}`
}

/** Folders whose subfolders each have their own doors. */
const containers = ['src/store', 'src/store/meta', 'src/refine', 'src/refine/kinds', 'src/web/panels']
/** Subjects of a folder that has too many doors for one list. Their files are doors like those of the folder itself. */
const subjects: Readonly<Record<string, readonly string[]>> = {
  'src/query': ['alerts', 'dashboards', 'explore', 'issues', 'logs', 'metrics', 'performance', 'traces'],
  'src/domain': ['alerts', 'detectors', 'traces'],
  'src/contract': ['alerts', 'explore'],
  'src/store/meta/schema': ['0001-0025'],
}
const isSubject = (folder: string): boolean => subjects[dirname(folder)]?.includes(basename(folder)) === true

/** A door is a file directly in the first folder that the importer is not in. Folders of containers have own doors. */
function doorBreach(path: string, target: string): string | undefined {
  // Routes follow their URLs, so paths inside web are as deep as URLs.
  if (stageOf(path) === 'web' && stageOf(target) === 'web') return undefined
  const from = dirname(path).split('/')
  const to = target.split('/')
  let shared = 0
  while (shared < from.length && from[shared] === to[shared]) shared++
  const entered = to.slice(0, -1).map((_, index) => to.slice(0, index + 1).join('/'))
  const passed = entered.slice(shared).filter((folder) => containers.includes(folder) || isSubject(folder)).length
  return to.length - shared - passed <= 2 ? undefined : `${target} is no door: import a file directly under the folder`
}

const direction: Law = {
  name: 'direction',
  sentence: 'imports go one way through the stages, and only processes/ wires them',
  find(source, report) {
    if (!isProduct(source.path)) return
    for (const importNode of importsOf(source)) {
      if (!importNode.from.startsWith('.')) continue
      const breach = directionBreach(source.path, join(dirname(source.path), importNode.from), importNode.typeOnly)
      if (breach) report(importNode.at, breach)
    }
  },
}

const doors: Law = {
  name: 'doors',
  sentence: 'from another folder only its door is imported',
  find(source, report) {
    if (!isProduct(source.path)) return
    for (const importNode of importsOf(source)) {
      const breach = importNode.from.startsWith('.')
        ? doorBreach(source.path, join(dirname(source.path), importNode.from))
        : undefined
      if (breach) report(importNode.at, breach)
    }
  },
}

const frameworks: Law = {
  name: 'frameworks',
  sentence:
    'react and next in web only; server-only in web/handle.ts only, as it throws in plain Node; next/link in web/ui/link.tsx only, as it asks for every page in sight',
  find(source, report) {
    if (!isProduct(source.path)) return
    for (const importNode of importsOf(source)) {
      if (importNode.from === 'server-only' && source.path !== 'src/web/handle.ts')
        report(importNode.at, 'server-only belongs to src/web/handle.ts')
      if (importNode.from === 'next/link' && !importNode.typeOnly && source.path !== 'src/web/ui/link.tsx')
        report(importNode.at, 'next/link: use Link of src/web/ui/link.tsx')
      if (
        /^(next|react|react-dom)(\/|$)/.test(importNode.from) &&
        !importNode.typeOnly &&
        !source.path.startsWith('src/web/')
      )
        report(importNode.at, `${importNode.from} belongs to src/web`)
    }
  },
}

// ---- state, environment, clock

/** Constructors allowed at the top level: their objects have no state that callers can change. */
const stateless = [
  'RegExp',
  'TextEncoder',
  'TextDecoder',
  'URL',
  'Date',
  'Error',
  'NumberFormat',
  'DateTimeFormat',
  'RelativeTimeFormat',
  'Collator',
  'PluralRules',
  'ListFormat',
  'Segmenter',
]
const changers = [
  'add',
  'set',
  'delete',
  'clear',
  'push',
  'pop',
  'shift',
  'unshift',
  'splice',
  'sort',
  'reverse',
  'fill',
]

function stateOf(init: Tree): string | undefined {
  if (init.type === 'NewExpression') {
    const callee = child(init, 'callee')
    const calledName = nameOf(callee) || nameOf(child(callee, 'property'))
    if (stateless.includes(calledName)) return undefined
    const filled = list(init, 'arguments').some((argument) =>
      ['ArrayExpression', 'CallExpression', 'Identifier', 'MemberExpression'].includes(argument.type),
    )
    return ['Map', 'Set'].includes(calledName) && filled ? undefined : `a ${calledName} made at module level`
  }
  if (init.type === 'ArrayExpression' && list(init, 'elements').length === 0) return 'an empty array at module level'
  if (init.type === 'ObjectExpression' && list(init, 'properties').length === 0)
    return 'an empty object at module level'
  return undefined
}

/** Whether the type is `readonly X[]`, `ReadonlyMap`, `ReadonlySet` or `Readonly<…>`, so that nobody can fill it. */
function isReadonly(id: Tree | undefined): boolean {
  const type = child(child(id, 'typeAnnotation'), 'typeAnnotation')
  return type?.operator === 'readonly' || nameOf(child(type, 'typeName')).startsWith('Readonly')
}

const bare = (node: Tree): Tree => {
  const inner = child(node, 'expression')
  return inner && ['TSAsExpression', 'TSSatisfiesExpression', 'ParenthesizedExpression'].includes(node.type)
    ? bare(inner)
    : node
}

/** Returns the names of top-level constants, and reports each one that is mutable state. */
function topLevelNames(source: Source, report: Report): Set<string> {
  const names = new Set<string>()
  for (const statement of list(source.root, 'body')) {
    const declared = statement.type === 'ExportNamedDeclaration' ? child(statement, 'declaration') : statement
    if (declared?.type !== 'VariableDeclaration' || declared.declare === true) continue
    if (declared.kind !== 'const') report(declared.start, `${String(declared.kind)} at module level`)
    for (const declaration of list(declared, 'declarations')) {
      names.add(nameOf(child(declaration, 'id')))
      const init = child(declaration, 'init')
      const state = init && !isReadonly(child(declaration, 'id')) ? stateOf(bare(init)) : undefined
      if (state) report(declaration.start, state)
    }
  }
  names.delete('')
  return names
}

/** The name of the object that `node` changes: `x.push()`, `x.y = 1`, `x[y] = 1`, `delete x.y`. */
function changed(node: Tree): string {
  const callee = node.type === 'CallExpression' ? child(node, 'callee') : undefined
  if (callee?.type === 'MemberExpression' && changers.includes(nameOf(child(callee, 'property'))))
    return nameOf(child(callee, 'object'))
  const target =
    node.type === 'AssignmentExpression'
      ? child(node, 'left')
      : node.type === 'UnaryExpression' && node.operator === 'delete'
        ? child(node, 'argument')
        : undefined
  // Code sets lastIndex of a sticky pattern right before each use, without an await in between.
  if (nameOf(child(target, 'property')) === 'lastIndex') return ''
  return target?.type === 'MemberExpression' ? nameOf(child(target, 'object')) : ''
}

const state: Law = {
  name: 'state',
  sentence: 'no state at module level: Next holds several instances of one module',
  find(source, report) {
    if (!isProduct(source.path)) return
    const names = topLevelNames(source, report)
    const shadowed = new Set<string>()
    walk(source.root, (node, above) => {
      if (node.type === 'VariableDeclarator' && above.length > 3) shadowed.add(nameOf(child(node, 'id')))
    })
    walk(source.root, (node) => {
      const name = changed(node)
      if (names.has(name) && !shadowed.has(name)) report(node.start, `${name} stands at module level and is changed`)
    })
  },
}

const environment: Law = {
  name: 'environment',
  sentence: 'the environment is read in config.ts only; web/base-path.ts has what the build writes in',
  find(source, report) {
    if (!isProduct(source.path) || ['src/base/config.ts', 'src/web/base-path.ts'].includes(source.path)) return
    walk(source.root, (node) => {
      if (memberOf(node) === 'process.env') report(node.start, 'process.env')
      if (node.type === 'ImportDeclaration' && child(node, 'source')?.value === 'node:process')
        report(node.start, 'node:process')
    })
  },
}

/** Browser code can use the timers of the window: a tab has no Clock, and Playwright controls the timers. */
const isBrowserCode = (source: Source): boolean =>
  source.path.startsWith('src/web/') &&
  (source.path.startsWith('src/web/ui/') ||
    /\/instrumentation-client\.ts$/.test(source.path) ||
    /^\s*(\/\*[\s\S]*?\*\/\s*|\/\/.*\n\s*)*['"]use client['"]/.test(source.text))

const clock: Law = {
  name: 'clock',
  sentence: 'the clock is read and timers are made in clock.ts only, so that tests drive both',
  find(source, report) {
    if (!isProduct(source.path) || source.path === 'src/base/clock.ts' || isBrowserCode(source)) return
    walk(source.root, (node) => {
      const callee = child(node, 'callee')
      if (memberOf(node) === 'Date.now') report(node.start, 'Date.now')
      if (node.type === 'NewExpression' && nameOf(callee) === 'Date' && list(node, 'arguments').length === 0)
        report(node.start, 'new Date()')
      if (node.type === 'CallExpression' && ['setTimeout', 'setInterval', 'Date'].includes(nameOf(callee)))
        report(node.start, `${nameOf(callee)}()`)
      if (
        node.type === 'ImportDeclaration' &&
        /^(node:)?timers(\/promises)?$/.test(String(child(node, 'source')?.value))
      )
        report(node.start, 'node:timers')
    })
  },
}

// ---- strings and markup

const markup: Law = {
  name: 'markup',
  sentence: 'text never becomes markup or code; the one exception is the nonced boot script',
  find(source, report) {
    if (!isProduct(source.path)) return
    walk(source.root, (node, above) => {
      if (node.type === 'JSXAttribute' && nameOf(child(node, 'name')) === 'dangerouslySetInnerHTML') {
        const element = above.at(-1)
        const nonced = list(element, 'attributes').some((attribute) => nameOf(child(attribute, 'name')) === 'nonce')
        if (!nonced || nameOf(child(element, 'name')) !== 'script')
          report(node.start, 'dangerouslySetInnerHTML outside a script with a nonce')
      }
      if (
        node.type === 'AssignmentExpression' &&
        /^(inner|outer)HTML$/.test(nameOf(child(child(node, 'left'), 'property')))
      )
        report(node.start, 'innerHTML is set')
      if (
        node.type === 'CallExpression' &&
        (nameOf(child(node, 'callee')) === 'eval' ||
          ['insertAdjacentHTML'].includes(nameOf(child(child(node, 'callee'), 'property'))))
      )
        report(node.start, 'eval or insertAdjacentHTML')
      if (node.type === 'NewExpression' && nameOf(child(node, 'callee')) === 'Function')
        report(node.start, 'new Function')
    })
  },
}

// ---- forbidden language features

/** Files in which the framework or a tool requires a default export. */
const asksForDefault = (path: string): boolean =>
  path.startsWith('src/web/app/') ||
  /(^|\/)(next|vitest|postcss|playwright|tailwind)\.config\.\w+$/.test(path) ||
  /^src\/web\/(i18n\/)?(request|proxy|instrumentation)\.ts$/.test(path) ||
  path.endsWith('.d.ts')

const words: Law = {
  name: 'words',
  sentence:
    'no any, no enum, no namespace, no parameter property, no non-null assertion, no default export but where Next asks',
  find(source, report) {
    walk(source.root, (node) => {
      if (node.type === 'TSAnyKeyword') report(node.start, 'any')
      if (node.type === 'TSEnumDeclaration') report(node.start, 'enum')
      if (node.type === 'TSParameterProperty') report(node.start, 'parameter property')
      if (node.type === 'TSNonNullExpression') report(node.start, 'non-null assertion')
      if (node.type === 'TSModuleDeclaration' && node.declare !== true && !source.path.endsWith('.d.ts'))
        report(node.start, 'namespace')
      if (node.type === 'ExportDefaultDeclaration' && !asksForDefault(source.path)) report(node.start, 'default export')
    })
  },
}

const barrels: Law = {
  name: 'barrels',
  sentence: 'no barrels and no export *',
  find(source, report) {
    const body = list(source.root, 'body')
    for (const statement of body) if (statement.type === 'ExportAllDeclaration') report(statement.start, 'export *')
    const passedOn = body.filter((statement) => statement.type === 'ExportNamedDeclaration' && statement.source)
    if (
      passedOn.length > 0 &&
      body.every((statement) => passedOn.includes(statement) || statement.type === 'ImportDeclaration')
    )
      report(0, 'a file that only exports from others')
    if (inSource(source.path) && /\/index\.tsx?$/.test(source.path)) report(0, 'an index file')
  },
}

// ---- size and place

/** Limits: lines of a file, of a function and of a component, nesting of control structures, depth of folders. */
export const bounds = {
  fileLines: 500,
  functionLines: 70,
  componentLines: 120,
  nesting: 5,
  folders: 5,
  routeFolders: 8,
} as const

const isFunction = (node: Tree): boolean =>
  ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'].includes(node.type)
const nests = [
  'IfStatement',
  'ForStatement',
  'ForInStatement',
  'ForOfStatement',
  'WhileStatement',
  'DoWhileStatement',
  'SwitchStatement',
  'TryStatement',
]

function functionName(node: Tree, above: Tree[]): string {
  const parent = above.at(-1)
  return nameOf(child(node, 'id')) || nameOf(child(parent, 'id')) || nameOf(child(parent, 'key')) || 'function'
}

const lengths: Law = {
  name: 'lengths',
  sentence: `files have at most ${bounds.fileLines} lines, functions ${bounds.functionLines}, components ${bounds.componentLines}`,
  find(source, report) {
    const lines = source.text.trimEnd().split('\n').length
    if (lines > bounds.fileLines) report(0, `${lines} lines`)
    if (isTest(source.path)) return // a describe block is a list of cases
    walk(source.root, (node, above) => {
      if (!isFunction(node)) return
      const name = functionName(node, above)
      const max = source.path.endsWith('.tsx') && /^[A-Z]/.test(name) ? bounds.componentLines : bounds.functionLines
      const long = source.lineOf(node.end) - source.lineOf(node.start) + 1
      if (long > max) report(node.start, `${name} has ${long} lines`)
    })
  },
}

const nesting: Law = {
  name: 'nesting',
  sentence: `control structures stand at most ${bounds.nesting} deep in each other`,
  find(source, report) {
    if (isTest(source.path)) return
    walk(source.root, (node, above) => {
      const isElseIf = (item: Tree, parent: Tree | undefined) =>
        item.type === 'IfStatement' && parent?.type === 'IfStatement' && parent.alternate === item
      if (!nests.includes(node.type) || isElseIf(node, above.at(-1))) return
      const depth =
        above.filter((item, index) => nests.includes(item.type) && !isElseIf(item, above[index - 1])).length + 1
      if (depth === bounds.nesting + 1) report(node.start, `${depth} deep`)
    })
  },
}

const drawer = /^(utils?|helpers?|shared|lib|common|types|services|misc)(\.\w+)?$/

const places: Law = {
  name: 'places',
  sentence: `no drawers (utils, helpers, shared, lib, common, types, services); folders at most ${bounds.folders} deep under src, routes ${bounds.routeFolders}`,
  find(source, report) {
    const parts = source.path.split('/')
    for (const part of parts) if (drawer.test(part)) report(0, `${part} is a drawer`)
    const max = source.path.startsWith('src/web/app/') ? bounds.routeFolders : bounds.folders
    if (inSource(source.path) && parts.length - 2 > max) report(0, `${parts.length - 2} folders deep`)
  },
}

/** Every law, in the order in which ARCHITECTURE.md names them. */
export const laws: readonly Law[] = [
  direction,
  doors,
  features,
  timeTexts,
  frameworks,
  contract,
  state,
  environment,
  clock,
  sql,
  hashes,
  moments,
  awaiting,
  markup,
  words,
  barrels,
  lengths,
  nesting,
  places,
  assertions,
  failures,
  stopwatch,
  citations,
  spreads,
  fieldNames,
  writes,
]
