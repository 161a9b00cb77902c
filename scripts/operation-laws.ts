/** The law on writes: screens and REST change the stores only through src/operations. */
import { isProduct, type Law } from './law.ts'
import { child, list, nameOf, type Tree, walk } from './tree.ts'

/** Stores that only operations and the stages below write to. Every file uses these variable names. */
const stores = ['meta', 'blobs']

/**
 * Names of methods that read: `projectsOf`, `issueById`, `feedbackOfIssue`, `listBundles`, `isEmpty`, `scrubSettings`.
 * Any other method counts as a write, so that the law finds new writes without a list.
 */
const reading = /^(?:is|get|list)[A-Z]|^(?!ask)\w+(?:Of|By)(?:[A-Z]\w*)?$|[a-z]Settings$/
/** Reading methods with other names. */
const alsoReading: readonly string[] = [
  'countFeedback',
  'deadLetters',
  'deliveryLog',
  'filteredEvents',
  'hiddenEnvironments',
  'missingMapCounts',
  'organizations',
  'outcomeSums',
  'outcomesSince',
  'people',
  'projectEnvironments',
  'reprocessingRuns',
  'releaseFiles',
  'repositoryCommits',
  'downsampleRuns',
  'versionsWithCommit',
]

const reads = (method: string): boolean => reading.test(method) || alsoReading.includes(method)

/** The name that an expression ends with: `meta` of `meta`, `app.meta` and `app().meta`; '' for any other. */
function lastName(node: Tree | undefined): string {
  const inner = node?.type === 'ChainExpression' ? child(node, 'expression') : node
  const member = inner?.type === 'MemberExpression' && inner.computed !== true ? child(inner, 'property') : undefined
  return nameOf(inner) || nameOf(member)
}

/** The store that an expression refers to: `meta.issues`, `app.meta.issues`, `app().blobs`. `meta` alone: all its parts. */
function storeOf(node: Tree | undefined): string | undefined {
  const inner = node?.type === 'ChainExpression' ? child(node, 'expression') : node
  if (inner?.type === 'MemberExpression' && lastName(child(inner, 'object')) === 'meta')
    return `meta.${lastName(inner)}`
  return stores.find((store) => store === lastName(inner))
}

/**
 * The methods that a node takes from a store. A computed name is ''. Parts of the meta store may not be destructured from
 * it: the law would not see what is called on them.
 */
function taken(node: Tree): { at: number; store: string; method: string }[] {
  if (node.type === 'MemberExpression') {
    const store = storeOf(child(node, 'object'))
    const method = node.computed === true ? '' : nameOf(child(node, 'property'))
    // A part of the meta store by its name is no method yet.
    if (store === undefined || (store === 'meta' && method !== '')) return []
    return [{ at: node.start, store, method }]
  }
  const pattern = child(node, 'id')
  const store = node.type === 'VariableDeclarator' ? storeOf(child(node, 'init')) : undefined
  if (store === undefined || pattern?.type !== 'ObjectPattern') return []
  return list(pattern, 'properties').map((property) => ({
    at: property.start,
    store,
    method: nameOf(child(property, 'key')),
  }))
}

export const writes: Law = {
  name: 'writes',
  sentence: 'api and web write to the meta store and to the blobs through operations only',
  find(source, report) {
    if (!isProduct(source.path) || !/^src\/(?:api|web)\//.test(source.path)) return
    walk(source.root, (node) => {
      for (const { at, store, method } of taken(node))
        if (store === 'meta' || !reads(method))
          report(at, `${store}.${method || '[…]'} writes: call a function of src/operations`)
    })
  },
}
