// npm run bench: every figure against its limit, in one run, written to bench/results.md with the machine it ran on.
// npm run bench -- accept pipeline screen start: only these. npm run bench -- --quick: shorter runs.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../e2e/product.ts'
import { benchAccept } from './accept.ts'
import { machine, type Row, table } from './measure.ts'
import { benchPipeline } from './pipeline.ts'
import { benchScreen } from './screen.ts'
import { benchScroll } from './scroll.ts'
import { benchStart } from './start.ts'

const words = process.argv.slice(2)
const seconds = words.includes('--quick') ? 15 : 60
const named = words.filter((word) => !word.startsWith('--'))
const parts: Record<string, () => Promise<Row[]>> = {
  accept: benchAccept,
  pipeline: () => benchPipeline(seconds),
  screen: benchScreen,
  scroll: benchScroll,
  start: benchStart,
}

const rows: Row[] = []
for (const [name, run] of Object.entries(parts)) {
  if (named.length > 0 && !named.includes(name)) continue
  console.error(`bench: ${name}`)
  rows.push(...(await run()))
}
const page = `# Measured\n\nBy \`npm run bench\` on ${machine()}, ${new Date().toISOString().slice(0, 10)}. Load client on the same machine; the machine is shared, so figures vary.\n\n${table(rows)}\n`
console.log(table(rows))
if (named.length === 0) writeFileSync(join(root, 'bench/results.md'), page)
