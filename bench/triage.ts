import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../src/clock.ts'
import { createBulks } from '../src/jobs/bulks.ts'
import { falseAlarms, type Kind, minutesToSee } from '../src/jobs/forecast.cases.ts'
import { silent } from '../src/observe.ts'
import { commit, effect, hash, nowMs, withProject } from '../src/store/meta/fixture.ts'
import { openSqliteMeta } from '../src/store/meta/sqlite.ts'
import type { Row } from './measure.ts'

const weeks = 10_000
const rises: [Kind, number][] = [
  ['steady', 20],
  ['steady', 30],
  ['steady', 1_000],
  ['daily', 60],
  ['working', 60],
]
const issues = 10_000
const bulkSMax = 5

/** How escalation judges generated series; each is made from a seed. */
function benchForecast(): Row[] {
  const alarms = falseAlarms(weeks, 1)
  const rows: Row[] = [
    {
      what: `false alarms of escalation, generated series`,
      goal: 'at most 1 in 1,000 issue-weeks',
      figure: `${alarms.length} in ${weeks}${alarms.length ? `: ${alarms.join(', ')}` : ''}`,
      met: alarms.length * 1_000 <= weeks,
    },
  ]
  for (const [kind, rate] of rises) {
    const minutes = Array.from({ length: 200 }, (_, at) => minutesToSee(kind, rate, (at + 1) * 7919)).sort(
      (a, b) => a - b,
    )
    const within = minutes.filter((one) => one <= 10).length
    rows.push({
      what: `a tenfold rise of ${kind} at ${rate} events an hour, 200 series`,
      goal: 'seen within 10 minutes',
      figure: `${within} of 200 within 10, median ${minutes[100]}, longest ${minutes.at(-1)}`,
      met: within === 200,
    })
  }
  return rows
}

/** 10,000 issues change on disk, and back. */
async function benchBulk(): Promise<Row> {
  const folder = mkdtempSync(join(tmpdir(), 'mishap-bench-'))
  const meta = withProject(openSqliteMeta(join(folder, 'meta.sqlite'), { clock: systemClock }))
  for (let at = 0; at < issues; at += 1_000)
    commit(meta, { events: Array.from({ length: 1_000 }, (_, i) => effect({ hashes: [hash(at + i + 1)] })) }, nowMs)
  const bulks = createBulks({ clock: systemClock, observe: silent, meta, changed: () => {} })
  const items = Array.from({ length: issues }, (_, i) => ({ issueId: i + 1, change: { status: 'resolved' as const } }))
  let began = performance.now()
  const { id } = bulks.ask({ organizationId: 1, userId: 'ann', items })
  await bulks.run()
  const thereS = (performance.now() - began) / 1000
  const changed = meta.bulkById(id)?.changed
  began = performance.now()
  bulks.undo(id)
  await bulks.run()
  const backS = (performance.now() - began) / 1000
  meta.close()
  rmSync(folder, { recursive: true })
  return {
    what: `${issues} issues resolved at once, on disk`,
    goal: `at most ${bulkSMax} s`,
    figure: `${thereS.toFixed(1)} s (${changed} changed), back in ${backS.toFixed(1)} s`,
    met: changed === issues && thereS <= bulkSMax,
  }
}

/** What triage has to keep to. */
export async function benchTriage(): Promise<Row[]> {
  return [await benchBulk(), ...benchForecast()]
}
