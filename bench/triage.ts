import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as setImmediateTurn } from 'node:timers/promises'
import { applyChange } from '../src/api/issues/issue-change.ts'
import type { Actor } from '../src/auth/auth.ts'
import { systemClock } from '../src/base/clock.ts'
import { silent } from '../src/base/observe.ts'
import { createBulks } from '../src/jobs/bulks.ts'
import { falseAlarms, type Kind, minutesToSee } from '../src/jobs/forecast.cases.ts'
import { mergeIssues } from '../src/operations/issue-merges.ts'
import type { App } from '../src/processes/parts.ts'
import { issuesMatching } from '../src/query/issues/issues.ts'
import { commit, effect, hash, nowMs, withProject } from '../src/store/meta/fixture.cases.ts'
import type { MetaStore } from '../src/store/meta/meta-store.ts'
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
const blockIssues = 12_000
const blockMsMax = 50

/** Rows for escalation on generated series. Each series comes from a seed. */
function benchForecast(): Row[] {
  const alarms = falseAlarms(weeks, 1)
  const rows: Row[] = [
    {
      what: `false alarms of escalation, generated series`,
      goal: 'at most 1 in 1,000 issue-weeks',
      result: `${alarms.length} in ${weeks}${alarms.length ? `: ${alarms.join(', ')}` : ''}`,
      met: alarms.length * 1_000 <= weeks,
    },
  ]
  for (const [kind, rate] of rises) {
    const minutes = Array.from({ length: 200 }, (_, at) => minutesToSee(kind, rate, (at + 1) * 7919)).sort(
      (a, b) => a - b,
    )
    const within = minutes.filter((minute) => minute <= 10).length
    rows.push({
      what: `a tenfold rise of ${kind} at ${rate} events an hour, 200 series`,
      goal: 'seen within 10 minutes',
      result: `${within} of 200 within 10, median ${minutes[100]}, longest ${minutes.at(-1)}`,
      met: within === 200,
    })
  }
  return rows
}

/** Changes 10,000 issues on disk, and undoes it. */
async function benchBulk(): Promise<Row> {
  const folder = mkdtempSync(join(tmpdir(), 'mishap-bench-'))
  const meta = await withProject(await openSqliteMeta(join(folder, 'meta.sqlite'), { clock: systemClock }))
  for (let at = 0; at < issues; at += 1_000)
    await commit(
      meta,
      { events: Array.from({ length: 1_000 }, (_, i) => effect({ hashes: [hash(at + i + 1)] })) },
      nowMs,
    )
  const bulks = createBulks({ clock: systemClock, observe: silent, meta, changed: () => {} })
  const items = Array.from({ length: issues }, (_, i) => ({ issueId: i + 1, change: { status: 'resolved' as const } }))
  let began = performance.now()
  const { id } = await bulks.request({ organizationId: 1, userId: 'ann', items })
  await bulks.run()
  const thereS = (performance.now() - began) / 1000
  const changed = (await meta.issues.bulkById(id))?.changed
  began = performance.now()
  await bulks.undo(id)
  await bulks.run()
  const backS = (performance.now() - began) / 1000
  await meta.close()
  rmSync(folder, { recursive: true })
  return {
    what: `${issues} issues resolved at once, on disk`,
    goal: `at most ${bulkSMax} s`,
    result: `${thereS.toFixed(1)} s (${changed} changed), back in ${backS.toFixed(1)} s`,
    met: changed === issues && thereS <= bulkSMax,
  }
}

/** The longest block of the event loop while `work` ran, in ms, measured with repeated setImmediate calls. */
async function longestBlock(work: () => Promise<unknown>): Promise<number> {
  const state = { on: true, last: performance.now(), longest: 0 }
  const nextRound = () => {
    const now = performance.now()
    state.longest = Math.max(state.longest, now - state.last)
    state.last = now
    if (state.on) setImmediate(nextRound)
  }
  setImmediate(nextRound)
  await work()
  await setImmediateTurn()
  state.on = false
  return state.longest
}

/** An App with only the parts that changes of issues use. */
function appOn(meta: MetaStore): App {
  const live = { publish: () => undefined }
  const parts = { clock: systemClock, observe: silent, meta, live }
  const triage = { bulks: createBulks({ ...parts, changed: live.publish }) }
  return { ...parts, triage, events: {}, config: { url: '' } } as unknown as App
}

/** Measures blocks of the event loop while thousands of issues change, and while a thousand are merged. */
async function benchBlocks(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mishap-bench-'))
  const meta = await withProject(await openSqliteMeta(join(folder, 'meta.sqlite'), { clock: systemClock }))
  const commits: number[] = []
  for (let at = 0; at < blockIssues; at += 500) {
    const began = performance.now()
    await commit(meta, { events: Array.from({ length: 500 }, (_, i) => effect({ hashes: [hash(at + i + 1)] })) }, nowMs)
    commits.push(performance.now() - began)
  }
  // Processing makes such commits all the time, so no limit is shorter than one of them.
  const commitMs = commits.sort((a, b) => a - b)[commits.length >> 1] ?? 0
  const limitMs = Math.max(blockMsMax, commitMs)
  const app = appOn(meta)
  const actor = { person: { id: 'ann', name: 'Ann', email: 'ann@example.test' } } as Actor
  const [organization, project] = [
    await meta.organizations.organizationBySlug('acme'),
    await meta.projects.projectById(1),
  ]
  if (!organization || !project) throw new Error('no project')
  const matching = () =>
    issuesMatching(
      app,
      {
        organization,
        projects: [project],
        environments: [],
        query: '',
        meUserId: 'ann',
        range: { fromMs: 0, toMs: systemClock.now() + 1e9, bucketMs: 3_600_000 },
      } as unknown as Parameters<typeof issuesMatching>[1],
      50_000,
    )
  const change = async (status: 'resolved' | 'unresolved') => {
    const { bulk } = await applyChange(app, actor, await matching(), { status }, undefined, true)
    while ((await meta.issues.bulkById(Number(bulk?.id)))?.endedMs === null) await systemClock.sleep(5)
    return bulk
  }
  const row = (what: string, ms: number): Row => ({
    what,
    goal: `at most ${blockMsMax} ms, or as long as a commit of 500 events where that takes longer`,
    result: `${ms.toFixed(0)} ms; a commit of 500 events took ${commitMs.toFixed(0)} ms`,
    met: ms <= limitMs,
  })
  const changeMs = await longestBlock(() => change('resolved'))
  const undoMs = await longestBlock(async () => {
    const bulk = await change('unresolved')
    await app.triage.bulks.undo(Number(bulk?.id))
    await app.triage.bulks.run()
  })
  const all = await matching()
  const mergeMs = await longestBlock(() => mergeIssues(app, actor, all.slice(0, 1000)))
  const left = await meta.issues.countIssues({ projectIds: [1] })
  await meta.close()
  rmSync(folder, { recursive: true })
  if (left !== blockIssues - 999) throw new Error(`${left} issues are left after the merge`)
  return [
    row(`longest block of the event loop while ${blockIssues} issues are resolved`, changeMs),
    row(`longest block while ${blockIssues} issues change and are taken back`, undoMs),
    row('longest block while 1,000 issues become one', mergeMs),
  ]
}

/** Rows for triage. */
export async function benchTriage(): Promise<Row[]> {
  return [await benchBulk(), ...(await benchBlocks()), ...benchForecast()]
}
