import { afterEach, expect, test } from 'vitest'
import { testClock } from '../../../base/clock.ts'
import type { EventEffect } from '../meta.ts'
import type { MetaStore } from '../meta-store.ts'
import { openSqliteMeta } from '../sqlite.ts'
import type { DownsampleCut } from './downsampling.ts'

const open: MetaStore[] = []
afterEach(async () => {
  for (const meta of open.splice(0)) await meta.close()
})

const hash = (n: number) => n.toString(16).padStart(16, '0')
const idOf = (n: number) => n.toString(16).padStart(32, '0')

/** Creates a project with an issue of each kind. Events 1 to 4 of the first issue have a file each, an hour apart. */
async function world() {
  const clock = testClock()
  const meta = await openSqliteMeta(':memory:', { clock, readers: 0 })
  open.push(meta)
  const organization = await meta.organizations.createOrganization({ slug: 'acme', name: 'Acme', ownerUserId: 'u' })
  const project = await meta.projects.createProject({
    organizationId: organization.id,
    slug: 'web',
    name: 'Web',
    platform: null,
  })
  const startMs = clock.now()
  const effect = (n: number, kind: EventEffect['kind']): EventEffect => ({
    projectId: project.id,
    keyId: 1,
    jpos: n,
    eventId: idOf(n),
    hashes: [hash(n), hash(n + 100)],
    title: 't',
    culprit: '',
    kind,
    level: 'error',
    platform: 'javascript',
    logger: '',
    metadata: {},
    timestampMs: startMs,
    receivedMs: startMs,
    release: '',
    environment: '',
    digest: '',
    unhandled: false,
  })
  const file = (n: number) => ({
    projectId: project.id,
    eventId: idOf(n),
    name: 'log',
    type: 'event.attachment',
    contentType: '',
    bytes: 10,
    blobKey: `attachments/1/${n}`,
    receivedMs: startMs + n * 3_600_000,
  })
  await meta.batches.commitBatch(
    await meta.batches.openBatch(0, 10),
    {
      events: [effect(1, 'error'), effect(2, 'message'), effect(3, 'csp')],
      attachments: [1, 2, 3, 4].map(file),
      outcomes: [],
      dead: [],
    },
    startMs,
  )
  const cut: DownsampleCut = {
    week: '2026-11-16',
    before: 9,
    projectId: project.id,
    hashes: [hash(1)],
    keep: [idOf(1)],
  }
  const sums = async () =>
    (await meta.ledger.outcomeSums({ fromMs: 0 })).map(({ category, outcome, reason, keyId, quantity, bytes }) => ({
      category,
      outcome,
      reason,
      keyId,
      quantity,
      bytes,
    }))
  return { meta, clock, project, cut, sums, startMs }
}
const downsampledOutcome = { outcome: 'thinned', reason: 'disk_budget', keyId: 0 }

test('a step goes from planned to cut; it counts once, by the kind of its issues', async () => {
  const { meta, cut, sums, project } = await world()
  const runId = await meta.retention.beginDownsampleRun({ budgetBytes: 5, bytesBefore: 9 })
  const step = await meta.retention.planDownsampleStep(runId, cut, 2.6)
  expect(await meta.retention.downsampleSteps()).toEqual([{ ...step, runId, cut, rowBytes: 3, stage: 'planned' }])
  const found = [
    { groupHash: hash(1), rows: 5 },
    { groupHash: hash(101), rows: 1 },
    { groupHash: hash(2), rows: 7 },
    { groupHash: hash(3), rows: 1 },
    { groupHash: hash(77), rows: 2 },
  ]
  for (let again = 0; again < 2; again++) await meta.retention.countDownsampled(step.id, found)
  expect((await meta.retention.downsampleSteps())[0]?.stage).toBe('counted')
  expect(await sums()).toEqual(
    expect.arrayContaining([
      { category: 'error', ...downsampledOutcome, quantity: 8, bytes: 24 },
      { category: 'default', ...downsampledOutcome, quantity: 7, bytes: 21 },
      { category: 'security', ...downsampledOutcome, quantity: 1, bytes: 3 },
    ]),
  )
  const issues = await meta.issues.listIssues({ projectIds: [project.id], sort: 'last', max: 9 })
  const ids = issues.map((issue) => issue.id).sort()
  expect([...(await meta.retention.downsampledOf([...ids, 999]))].sort()).toEqual(
    ids.map((id, at) => [id, [6, 7, 1][at]]),
  )
  // The event counts do not change.
  expect(issues.map((issue) => issue.count)).toEqual([1, 1, 1])
  await meta.retention.setDownsampleStep(step.id, 'cut')
  expect((await meta.retention.downsampleSteps())[0]?.stage).toBe('cut')
  await meta.retention.dropDownsampleStep(step.id)
  expect([await meta.retention.downsampleSteps(), (await meta.retention.downsampleRuns(9))[0]?.events]).toEqual([
    [],
    16,
  ])
  await meta.retention.countDownsampled(step.id, found)
  expect((await meta.retention.downsampleRuns(9))[0]?.events).toBe(16)
})

test('runs: newest first, without an end while they last', async () => {
  const { meta, clock, startMs } = await world()
  const first = await meta.retention.beginDownsampleRun({ budgetBytes: 5, bytesBefore: 9 })
  clock.advance(1000)
  await meta.retention.endDownsampleRun(first, { bytesAfter: 4, reached: true })
  const second = await meta.retention.beginDownsampleRun({ budgetBytes: 5, bytesBefore: 8 })
  const none = { budgetBytes: 5, events: 0, attachments: 0, spans: 0 }
  expect(await meta.retention.downsampleRuns(9)).toEqual([
    { ...none, id: second, startedMs: startMs + 1000, endedMs: null, bytesBefore: 8, bytesAfter: null, reached: false },
    { ...none, id: first, startedMs: startMs, endedMs: startMs + 1000, bytesBefore: 9, bytesAfter: 4, reached: true },
  ])
  expect(await meta.retention.downsampleRuns(1)).toHaveLength(1)
})

test('attachments of a time are looked through in steps; those that go are counted, and their files noted', async () => {
  const { meta, project, startMs, sums } = await world()
  const hour = 3_600_000
  const between = (after: number, max: number) =>
    meta.retention.attachedBetween(project.id, startMs + hour, startMs + 4 * hour, after, max)
  const [item, two] = await between(0, 2)
  expect([item?.eventId, two?.eventId]).toEqual([idOf(1), idOf(2)])
  expect((await between(two?.id ?? 0, 9)).map((each) => each.eventId)).toEqual([idOf(3)])
  expect(await meta.retention.attachedBetween(project.id + 1, 0, startMs * 2, 0, 9)).toEqual([])
  const runId = await meta.retention.beginDownsampleRun({ budgetBytes: 5, bytesBefore: 9 })
  for (let again = 0; again < 2; again++)
    await meta.retention.downsampleAttachments(runId, project.id, [idOf(1), idOf(3), idOf(50)])
  expect(await sums()).toContainEqual({ category: 'attachment', ...downsampledOutcome, quantity: 2, bytes: 20 })
  expect((await meta.retention.downsampleRuns(1))[0]?.attachments).toBe(2)
  expect((await meta.retention.doomedBlobs(0, 9)).sort()).toEqual(['attachments/1/1', 'attachments/1/3'])
  expect(await meta.attachments.attachmentsOf(project.id, idOf(1))).toEqual([])
  expect(await meta.attachments.attachmentsOf(project.id, idOf(2))).toHaveLength(1)
})

test('what an issue says of itself goes with it', async () => {
  const { meta, cut, project } = await world()
  const step = await meta.retention.planDownsampleStep(
    await meta.retention.beginDownsampleRun({ budgetBytes: 5, bytesBefore: 9 }),
    cut,
    1,
  )
  await meta.retention.countDownsampled(step.id, [{ groupHash: hash(1), rows: 5 }])
  const [id = 0] = [
    ...(
      await meta.retention.downsampledOf(
        (await meta.issues.listIssues({ projectIds: [project.id], sort: 'last', max: 9 })).map((o) => o.id),
      )
    ).keys(),
  ]
  const removal = await meta.retention.requestRemoval({
    kind: 'issue',
    projectId: project.id,
    issueId: id,
    userId: null,
  })
  await meta.retention.removeRows(removal.id, 1)
  expect((await meta.retention.downsampledOf([id])).size).toBe(0)
})

test('issues that may have more than is kept, by their counters less what was thinned, page by page', async () => {
  const { meta, cut } = await world()
  expect(await meta.retention.issuesOver(1, 0, 9)).toEqual({ last: 3, issues: [] })
  expect(await meta.retention.issuesOver(0, 0, 2)).toEqual({
    last: 2,
    issues: [1, 2].map((id) => ({ id, projectId: cut.projectId })),
  })
  expect(await meta.retention.issuesOver(0, 3, 2)).toEqual({ issues: [] })
  const step = await meta.retention.planDownsampleStep(
    await meta.retention.beginDownsampleRun({ budgetBytes: 5, bytesBefore: 9 }),
    cut,
    1,
  )
  await meta.retention.countDownsampled(step.id, [{ groupHash: hash(1), rows: 1 }])
  expect((await meta.retention.issuesOver(0, 0, 9)).issues.map((issue) => issue.id)).toEqual([2, 3])
})
