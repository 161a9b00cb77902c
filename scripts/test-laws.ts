import { isTest, type Law } from './law.ts'
import { child, list, memberOf, nameOf, type Tree, walk } from './tree.ts'

const functions = new Set(['ArrowFunctionExpression', 'FunctionExpression', 'FunctionDeclaration'])
const isFunction = (node: Tree | undefined): node is Tree => node !== undefined && functions.has(node.type)

/** The identifier at the start of a chain of members and calls: `test` of `test.each(table)`. */
function rootOf(node: Tree | undefined): string {
  let at = node
  while (at && at.type !== 'Identifier') at = child(at, 'object') ?? child(at, 'callee') ?? child(at, 'tag')
  return nameOf(at)
}

/** The functions of a file by name. */
function namedFunctions(root: Tree): Map<string, Tree> {
  const found = new Map<string, Tree>()
  walk(root, (node) => {
    if (node.type === 'FunctionDeclaration') found.set(nameOf(child(node, 'id')), node)
    const init = node.type === 'VariableDeclarator' ? child(node, 'init') : undefined
    if (isFunction(init)) found.set(nameOf(child(node, 'id')), init)
  })
  return found
}

/** Calls that wait and fail on a time-out also count as assertions: `until('a row', …)`, `page.waitForURL(…)`. */
const awaits = (call: Tree): boolean =>
  rootOf(child(call, 'callee')) === 'until' || /^waitFor/.test(nameOf(child(child(call, 'callee'), 'property')))

/** Whether a function contains an assertion, directly or in a function of the same file that it calls or passes. */
function asserts(work: Tree, named: ReadonlyMap<string, Tree>, seen = new Set<Tree>()): boolean {
  if (seen.has(work)) return false
  seen.add(work)
  let found = false
  walk(work, (node) => {
    if (found || node.type !== 'CallExpression') return
    const name = rootOf(child(node, 'callee'))
    const used = [name, ...list(node, 'arguments').map(nameOf)].flatMap((item) => named.get(item) ?? [])
    found = /^expect|^assert/.test(name) || awaits(node) || used.some((item) => asserts(item, named, seen))
  })
  return found
}

export const assertions: Law = {
  name: 'assertions',
  sentence: 'every test asserts something or waits for it, itself or by a function of its file: else it cannot fail',
  find(source, report) {
    if (!isTest(source.path)) return
    const named = namedFunctions(source.root)
    walk(source.root, (node) => {
      if (node.type !== 'CallExpression' || !/^(test|it)$/.test(rootOf(child(node, 'callee')))) return
      const work = list(node, 'arguments').find(
        (argument, at) => at > 0 && (isFunction(argument) || named.has(nameOf(argument))),
      )
      const body = isFunction(work) ? work : named.get(nameOf(work))
      if (body && !asserts(body, named)) report(node.start, 'a test without an assertion')
    })
  },
}

/** Whether the matcher follows `expect(…).not`. */
const isNegated = (matcher: Tree | undefined): boolean => nameOf(child(child(matcher, 'object'), 'property')) === 'not'

export const failures: Law = {
  name: 'failures',
  sentence: 'a test names the error that it expects: a bare toThrow() takes any mistake for it',
  find(source, report) {
    if (!isTest(source.path)) return
    walk(source.root, (node) => {
      const matcher = node.type === 'CallExpression' ? child(node, 'callee') : undefined
      const name = matcher?.type === 'MemberExpression' ? nameOf(child(matcher, 'property')) : ''
      if (/^toThrow(Error)?$/.test(name) && list(node, 'arguments').length === 0 && !isNegated(matcher))
        report(node.start, `${name}() names no error`)
    })
  },
}

const stopwatches = new Set(['performance.now', 'process.cpuUsage', 'process.hrtime', 'process.resourceUsage'])

export const stopwatch: Law = {
  name: 'stopwatch',
  sentence: 'unit tests measure no time: what must be fast is measured in bench/, beside something of the same run',
  find(source, report) {
    if (!isTest(source.path) || source.path.startsWith('e2e/')) return
    walk(source.root, (node) => {
      const name = memberOf(node)
      if (stopwatches.has(name)) report(node.start, name)
      const left = node.type === 'BinaryExpression' && node.operator === '-' ? child(node, 'left') : undefined
      if (memberOf(child(left, 'callee')) === 'Date.now' && child(node, 'right')?.type === 'Identifier')
        report(node.start, 'a time that passed')
    })
  },
}
