import { dirname, join } from 'node:path/posix'
import { importsOf } from './imports.ts'
import { isProduct, isTest, type Law } from './law.ts'
import { child, nameOf, walk } from './tree.ts'

/**
 * The features of the screens that others build on, and the files that these may import. The order is a law, too: a
 * feature imports only from those above it, so features never form a cycle. A feature that is not here is a leaf:
 * no feature imports it. Before you add a file, ask whether it is a shared piece that belongs to ui/, client/ or server/.
 */
const publicFiles: Readonly<Record<string, readonly string[]>> = {
  search: [
    'complete.ts',
    'jump.ts',
    'list-filters.tsx',
    'list-params.ts',
    'load-environments.ts',
    'range-key.ts',
    'range.ts',
    'saved-views.tsx',
    'scope-selects.tsx',
    'scope-text.ts',
    'search-box.tsx',
    'terms.ts',
    'use-list-params.ts',
    'views.ts',
  ],
  exports: ['export-button.tsx'],
  explore: ['builder.tsx', 'key-tables.ts', 'params.ts'],
  volume: ['volume-chart.tsx'],
  triage: [
    'assignee.tsx',
    'attention.tsx',
    'bulk-change.ts',
    'change.ts',
    'decisions.tsx',
    'merge.tsx',
    'state-words.ts',
    'triage.ts',
  ],
  diagnostics: ['react-words.tsx'],
  'error-links': ['certainty.tsx'],
  issue: ['issue-head.ts', 'issue-row.tsx', 'peek.tsx', 'row-words.ts'],
  'release-health': ['health-cells.tsx', 'intervals.tsx', 'swatch.tsx', 'words.ts'],
  performance: ['sampled.tsx'],
}
const order = Object.keys(publicFiles)

/** The feature that a path is in; '' for the files of panels/ itself and for everything else. */
const featureOf = (path: string): string => /^src\/web\/panels\/([^/]+)\//.exec(path)?.[1] ?? ''

function breachOf(path: string, target: string): string | undefined {
  if (!path.startsWith('src/web/') || path.startsWith('src/web/app/')) return undefined
  if (target.startsWith('src/web/app/')) return `imports the route file ${target}`
  const [here, there] = [featureOf(path), featureOf(target)]
  if (there === '' || here === there) return undefined
  if (here === '') return `only routes put features together: ${there} may not be imported here`
  if (!publicFiles[there]?.includes(target.slice(`src/web/panels/${there}/`.length)))
    return `${target} is not public: no other feature may import it`
  const isAbove = !order.includes(here) || order.indexOf(there) < order.indexOf(here)
  return isAbove ? undefined : `${here} may not import ${there}: ${there} builds on it`
}

export const features: Law = {
  name: 'features',
  sentence:
    'a feature (a folder of web/panels) imports another only through the public files that scripts/web-laws.ts lists, and only in the order of that list; pages put features together by their panel.tsx and load.ts; ui, client and server import no feature; nothing imports a route',
  find(source, report) {
    if (!isProduct(source.path)) return
    for (const imported of importsOf(source)) {
      const breach = imported.from.startsWith('.')
        ? breachOf(source.path, join(dirname(source.path), imported.from))
        : undefined
      if (breach) report(imported.at, breach)
    }
  },
}

/** The files that may format a time: the component of times, and the names of zones. */
const formatters = ['src/web/ui/time.tsx', 'src/web/zone.ts', 'src/web/client/zone.ts']
const times = ['DateTimeFormat', 'toLocaleString', 'toLocaleDateString', 'toLocaleTimeString']

export const timeTexts: Law = {
  name: 'timeTexts',
  sentence: 'screens show times with Time or useTimeText, so that all of them are in the zone the reader chose',
  find({ path, root }, report) {
    if (!path.startsWith('src/web/') || isTest(path) || formatters.includes(path)) return
    walk(root, (node) => {
      if (node.type !== 'MemberExpression') return
      const name = nameOf(child(node, 'property'))
      if (times.includes(name)) report(node.start, `${name} outside of ui/time.tsx`)
    })
  },
}
