// npm run bench: measures every figure against its limit and writes bench/results.md, with the machine it ran on. npm
// run bench -- accept pipeline screen start: only these. npm run bench -- --quick: shorter runs. npm run bench --
// --full: also the soak of an hour, and 1 and 10 million events (soak --minutes 3; scale --rows 1000000; search --data
// FOLDER: fills that folder once, and keeps it for the next run; alert-evaluate --only back-test). npm run bench
// -- peers: other products beside Mishap, which it installs (--rounds 3).
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../e2e/product.ts'
import { sectionOf } from '../scripts/mutation.ts'
import { benchAccept } from './accept.ts'
import { benchAlertEvaluate } from './alert-evaluate.ts'
import { benchAlertLatency } from './alert-latency.ts'
import { benchAlertLog } from './alert-log.ts'
import { benchAlertRules } from './alert-rules.ts'
import { benchCommit } from './commit.ts'
import { benchCost } from './cost.ts'
import { benchDetectors } from './detectors.ts'
import { benchExplore } from './explore.ts'
import { benchExport } from './export.ts'
import { benchExternal } from './external.ts'
import { benchGrouping } from './grouping.ts'
import { benchHostile } from './hostile.ts'
import { benchKeys } from './keys.ts'
import { benchLogIngest } from './log-ingest.ts'
import { benchLogSearch } from './log-search.ts'
import { benchLogTail } from './log-tail.ts'
import { benchMapped } from './mapped.ts'
import { machine, type Row, table } from './measure.ts'
import { benchMetricIngest } from './metric-ingest.ts'
import { benchMove } from './move.ts'
import { benchOverview } from './overview.ts'
import { benchPaint } from './paint.ts'
import { benchPeers } from './peers/run.ts'
import { benchPerformance } from './performance.ts'
import { benchPipeline } from './pipeline.ts'
import { benchRegroup } from './regroup.ts'
import { benchRetro } from './retro.ts'
import { benchScale } from './scale.ts'
import { benchScreen } from './screen.ts'
import { benchScroll } from './scroll.ts'
import { benchSearch } from './search.ts'
import { benchSoak } from './soak.ts'
import { benchSpanIngest } from './span-ingest.ts'
import { benchSpanSearch } from './span-search.ts'
import { benchSpans } from './spans.ts'
import { benchStart } from './start.ts'
import { benchTrace } from './trace.ts'
import { benchTriage } from './triage.ts'
import { benchUpload } from './upload.ts'

const words = process.argv.slice(2)
const seconds = words.includes('--quick') ? 15 : 60
const wordAfter = (flag: string): string | undefined =>
  words.includes(flag) ? words[words.indexOf(flag) + 1] : undefined
const values = new Set(['--minutes', '--rows', '--against', '--rounds', '--data', '--only'].map(wordAfter))
const named = words.filter((word) => !word.startsWith('--') && !values.has(word))
const full = words.includes('--full')
const sizes = (wordAfter('--rows') ?? '1000000,10000000').split(',').map(Number)
const folder = wordAfter('--data')
const parts: Record<string, () => Promise<Row[]>> = {
  accept: benchAccept,
  'alert-evaluate': () => benchAlertEvaluate(sizes.at(-1) ?? 10_000_000, wordAfter('--only')),
  'alert-latency': benchAlertLatency,
  'alert-rules': () => benchAlertRules(words.includes('--quick') ? 60 : 120),
  'alert-log': benchAlertLog,
  commit: () => benchCommit(words.includes('--quick') ? 5 : 25, wordAfter('--against')),
  cost: () => benchCost(words.includes('--quick') ? 15 : 30, wordAfter('--against')),
  detectors: benchDetectors,
  export: benchExport,
  external: () => benchExternal(seconds / 6, words.includes('--rows') ? sizes[0] : 0),
  grouping: benchGrouping,
  hostile: benchHostile,
  keys: benchKeys,
  'log-ingest': () => benchLogIngest(seconds),
  'log-search': () => benchLogSearch(words.includes('--rows') ? sizes : undefined),
  'log-tail': benchLogTail,
  move: () => benchMove(sizes[0] ?? 1_000_000),
  paint: () => benchPaint(words.includes('--quick') ? 1 : 9),
  performance: benchPerformance,
  pipeline: () => benchPipeline(seconds),
  mapped: () => benchMapped(),
  regroup: benchRegroup,
  retro: () => benchRetro(),
  screen: benchScreen,
  scroll: benchScroll,
  'metric-ingest': () => benchMetricIngest(seconds),
  'span-ingest': () => benchSpanIngest(seconds),
  'span-search': benchSpanSearch,
  explore: benchExplore,
  spans: () => benchSpans(words.includes('--quick') ? 8 : 20),
  start: benchStart,
  triage: benchTriage,
  upload: () => benchUpload(words.includes('--quick')),
  soak: () => benchSoak(Number(wordAfter('--minutes') ?? 60)),
  scale: () => benchScale(sizes, folder),
  search: () => benchSearch(sizes, folder),
  overview: () => benchOverview(sizes, folder),
  trace: () => benchTrace(sizes.at(-1) ?? 10_000_000),
  peers: () => benchPeers(words.includes('--quick') ? 5 : 20, Number(wordAfter('--rounds') ?? 1)),
}
/** These take hours instead of minutes, so they run only on request. */
const long = new Set(['soak', 'scale', 'search', 'overview', 'trace'])
/** These install other software, so they run only by name. */
const byName = new Set(['peers'])

const rows: Row[] = []
for (const [name, run] of Object.entries(parts)) {
  if (named.length > 0 ? !named.includes(name) : byName.has(name) || (long.has(name) && !full)) continue
  console.error(`bench: ${name}`)
  rows.push(...(await run()))
}
const page = `# Measured\n\nBy \`npm run bench\` on ${machine()}, ${new Date().toISOString().slice(0, 10)}. Load client on the same machine; the machine is shared, so figures vary.\n\n${table(rows)}\n`
console.log(table(rows))
const resultsPath = join(root, 'bench/results.md')
if (named.length === 0) writeFileSync(resultsPath, page + sectionOf(readFileSync(resultsPath, 'utf8')))
// The application of the grouping bench leaves React's message port open.
process.exit()
