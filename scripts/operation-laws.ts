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

/** The store that an expression refers to: `meta`, `app.meta`, `app().meta`. */
function storeOf(node: Tree | undefined): string | undefined {
  const inner = node?.type === 'ChainExpression' ? child(node, 'expression') : node
  const member = inner?.type === 'MemberExpression' && inner.computed !== true ? child(inner, 'property') : undefined
  const name = nameOf(inner) || nameOf(member)
  return stores.find((store) => store === name)
}

/** The methods that a node takes from a store. A computed name is ''. */
function taken(node: Tree): { at: number; store: string; method: string }[] {
  if (node.type === 'MemberExpression') {
    const store = storeOf(child(node, 'object'))
    const method = node.computed === true ? '' : nameOf(child(node, 'property'))
    return store === undefined ? [] : [{ at: node.start, store, method }]
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
        if (!reads(method)) report(at, `${store}.${method || '[…]'} writes: call a function of src/operations`)
    })
  },
}
