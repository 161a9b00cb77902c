import type { OutcomeCount } from '../../../base/outcome.ts'
import type { Store } from '../database/store.ts'
import type { AlertKind } from '../issues/alerts.ts'
import { errorEndWriter } from '../issues/error-links.ts'
import { feedbackWriter } from '../issues/feedback.ts'
import {
  afterOf,
  beginIssue,
  countEvent,
  type IssueContext,
  type IssueRow,
  isNext,
  latestTexts,
  settleNext,
} from '../issues/issue-state.ts'
import type { Batch, BatchEffects, BatchResult, BatchStore, EventEffect, ReplayedDeadLetter } from '../meta.ts'
import { sampleWriter } from '../projects/inbound-filters.ts'
import { scrapeWriter } from '../projects/scrape.ts'
import type { ReleaseUse } from '../releases/release-effects.ts'
import { issueContextOf, releaseCreatedMs } from '../releases/release-transitions.ts'
import { type BatchStatements, batchStatements } from './batch-statements.ts'
import { outcomeWriter } from './counts.ts'
import { diagnosticWriter, notifyAfter } from './diagnostic-counts.ts'
import type { MissingMapWriter } from './missing-source-maps.ts'

type ProjectRow = { id: number; organization_id: number; slug: string; first_event_ms: number | null }
type Span = { projectId: number; organizationId: number; name: string; firstMs: number; lastMs: number }

type WorkIssue = {
  row: IssueRow
  events: number
  isNew: boolean
  regressed: boolean
  /** The alert to send and its event; '' for none. */
  alert: AlertKind | ''
  alertEventId: string
  latest?: EventEffect
}

/** The gathered changes of one batch before they are written: each issue, release and digest once. */
type Work = {
  nowMs: number
  projects: Map<number, ProjectRow | undefined>
  issues: Map<number, WorkIssue>
  /** The state that the events of a project are evaluated with. */
  contexts: Map<number, IssueContext>
  /** Issues of a project that wait for its next release, by the release it must follow. Read once: can be thousands. */
  awaiting: Map<number, Map<string, number[]>>
  /** `${projectId} ${hash}` -> issue id. */
  hashes: Map<string, number>
  releases: Map<string, Span>
  environments: Map<string, Span>
  /** Named `${release}\n${environment}`, because neither can contain a line break. */
  releaseEnvironments: Map<string, Span>
  digests: Map<string, { effect: EventEffect; issueId: number }>
  firstEvents: Map<number, number>
  keysUsed: Map<number, number>
}

const newWork = (nowMs: number): Work => ({
  nowMs,
  projects: new Map(),
  issues: new Map(),
  contexts: new Map(),
  awaiting: new Map(),
  hashes: new Map(),
  releases: new Map(),
  environments: new Map(),
  releaseEnvironments: new Map(),
  digests: new Map(),
  firstEvents: new Map(),
  keysUsed: new Map(),
})

function widen(spans: Map<string, Span>, name: string, project: ProjectRow, atMs: number): void {
  if (name === '') return
  const key = `${project.id} ${name}`
  const span = spans.get(key)
  if (!span)
    spans.set(key, {
      projectId: project.id,
      organizationId: project.organization_id,
      name,
      firstMs: atMs,
      lastMs: atMs,
    })
  else {
    span.firstMs = Math.min(span.firstMs, atMs)
    span.lastMs = Math.max(span.lastMs, atMs)
  }
}

/** Returns the issue of the first known hash, from this batch or the database. */
async function existingIssue(
  statements: BatchStatements,
  work: Work,
  effect: EventEffect,
): Promise<number | undefined> {
  for (const hash of effect.hashes) {
    const key = `${effect.projectId} ${hash}`
    const id =
      work.hashes.get(key) ?? (await statements.fingerprint.get({ projectId: effect.projectId, hash }))?.issue_id
    if (id !== undefined) {
      work.hashes.set(key, id)
      return id
    }
  }
  return undefined
}

async function createIssue(
  statements: BatchStatements,
  work: Work,
  effect: EventEffect,
  project: ProjectRow,
): Promise<number> {
  const prefix = project.slug.toUpperCase()
  const number = (await statements.shortId.get({ organizationId: project.organization_id, prefix }))?.last
  const row = beginIssue(effect, project.organization_id, `${prefix}-${number}`, work.nowMs)
  const id = await statements.insertIssue(row)
  await statements.activity.run({
    issueId: id,
    type: 'first_seen',
    createdMs: effect.timestampMs,
    data: JSON.stringify({ eventId: effect.eventId }),
  })
  const { eventId: alertEventId } = effect
  work.issues.set(id, { row: { id, ...row }, events: 0, isNew: true, regressed: false, alert: 'new', alertEventId })
  return id
}

async function issueOf(
  statements: BatchStatements,
  work: Work,
  effect: EventEffect,
  project: ProjectRow,
): Promise<number> {
  if (effect.hashes.length === 0) throw new Error(`event ${effect.eventId} at ${effect.jpos} has no hash`)
  const id = (await existingIssue(statements, work, effect)) ?? (await createIssue(statements, work, effect, project))
  for (const hash of effect.hashes) {
    const key = `${effect.projectId} ${hash}`
    if (work.hashes.has(key)) continue
    // A hash that belongs to another issue stays there. Only unknown hashes are attached.
    const { changes } = await statements.attachHash.run({ projectId: effect.projectId, hash, issueId: id })
    if (changes > 0) work.hashes.set(key, id)
  }
  return id
}

/** Returns the issue with the changes of this batch so far. */
async function workIssue(statements: BatchStatements, work: Work, id: number): Promise<WorkIssue> {
  const cached = work.issues.get(id)
  if (cached) return cached
  const row = await statements.issue.get({ id })
  if (!row) throw new Error(`fingerprint names issue ${id}, which is not there`)
  const issue: WorkIssue = { row, events: 0, isNew: false, regressed: false, alert: '', alertEventId: '' }
  work.issues.set(id, issue)
  return issue
}

function contextOf(statements: BatchStatements, work: Work, projectId: number): IssueContext {
  const cached = work.contexts.get(projectId)
  if (cached) return cached
  const isInBatch = (version: string) => work.releases.has(`${projectId} ${version}`)
  const context = issueContextOf(statements, projectId, work.nowMs, isInBatch)
  work.contexts.set(projectId, context)
  return context
}

async function awaitingOf(statements: BatchStatements, work: Work, projectId: number): Promise<Map<string, number[]>> {
  const cached = work.awaiting.get(projectId)
  if (cached) return cached
  const groups = Map.groupBy(await statements.awaiting.all({ projectId }), afterOf)
  const waiting = new Map([...groups].map(([after, rows]) => [after, rows.map((row) => row.id)]))
  work.awaiting.set(projectId, waiting)
  return waiting
}

/** Resolves the issues that wait for the next release when an event names a new release. */
async function recordRelease(
  statements: BatchStatements,
  work: Work,
  project: ProjectRow,
  effect: Pick<EventEffect, 'release' | 'timestampMs'>,
): Promise<void> {
  const { release: version } = effect
  if (version === '') return
  const isNew =
    !work.releases.has(`${project.id} ${version}`) &&
    (await releaseCreatedMs(statements, project.id, version)) === undefined
  widen(work.releases, version, project, effect.timestampMs)
  if (!isNew) return
  const waiting = await awaitingOf(statements, work, project.id)
  const context = contextOf(statements, work, project.id)
  const data = JSON.stringify({ version, reason: 'next_release' })
  for (const [after, ids] of waiting) {
    // Skip issues that continue to wait: they would be written and announced without a change.
    if (!(await isNext(version, after, context))) continue
    waiting.delete(after)
    for (const id of ids)
      if (await settleNext((await workIssue(statements, work, id)).row, version, context))
        await statements.activity.run({ issueId: id, type: 'set_resolved_in_release', createdMs: work.nowMs, data })
  }
}

function recordEnvironment(
  work: Work,
  project: ProjectRow,
  { release, environment, timestampMs }: Pick<EventEffect, 'release' | 'environment' | 'timestampMs'>,
): void {
  widen(work.environments, environment, project, timestampMs)
  if (release !== '' && environment !== '')
    widen(work.releaseEnvironments, `${release}\n${environment}`, project, timestampMs)
}

/** Notes the release of sessions in the same way as the release of events. */
async function applyUse(
  statements: BatchStatements,
  work: Work,
  { projectId, firstMs, lastMs, ...names }: ReleaseUse,
): Promise<void> {
  const project = await projectOf(statements, work, projectId)
  if (!project) return
  for (const timestampMs of new Set([firstMs, lastMs])) {
    await recordRelease(statements, work, project, { ...names, timestampMs })
    recordEnvironment(work, project, { ...names, timestampMs })
  }
}

async function projectOf(statements: BatchStatements, work: Work, id: number): Promise<ProjectRow | undefined> {
  const cached = work.projects.get(id)
  if (cached || work.projects.has(id)) return cached
  const project = await statements.project.get({ id })
  work.projects.set(id, project)
  return project
}

/** Counts one event into its issue. Returns false when its project was deleted. */
async function apply(statements: BatchStatements, work: Work, effect: EventEffect): Promise<boolean> {
  const project = await projectOf(statements, work, effect.projectId)
  // The project was deleted while its events waited in the journal.
  if (!project) return false
  await recordRelease(statements, work, project, effect)
  const id = await issueOf(statements, work, effect, project)
  const issue = await workIssue(statements, work, id)
  issue.events += 1
  if (effect.timestampMs >= issue.row.last_seen_ms) issue.latest = effect
  const stateChange = await countEvent(issue.row, effect, contextOf(statements, work, effect.projectId))
  if (stateChange) {
    issue.regressed ||= stateChange.type === 'set_regression'
    // A new or regressed issue is more important than an escalation.
    if (issue.alert === '') Object.assign(issue, { alert: stateChange.alert, alertEventId: effect.eventId })
    const data = JSON.stringify(stateChange.data)
    await statements.activity.run({ issueId: id, type: stateChange.type, createdMs: work.nowMs, data })
  }
  recordEnvironment(work, project, effect)
  if (effect.digest !== '') {
    const key = `${id} ${effect.digest}`
    const cached = work.digests.get(key)
    if (!cached || cached.effect.timestampMs <= effect.timestampMs) work.digests.set(key, { effect, issueId: id })
  }
  if (project.first_event_ms === null)
    work.firstEvents.set(project.id, Math.min(effect.receivedMs, work.firstEvents.get(project.id) ?? effect.receivedMs))
  work.keysUsed.set(effect.keyId, Math.max(effect.receivedMs, work.keysUsed.get(effect.keyId) ?? 0))
  return true
}

/** Queues alerts in the commit itself, so that a crash right after it loses none. */
async function writeAlerts(statements: BatchStatements, work: Work): Promise<void> {
  const hasChannel = new Map<number, boolean>()
  for (const { row, alert, alertEventId } of work.issues.values()) {
    if (alert === '') continue
    const organizationId = row.organization_id
    const isWanted =
      hasChannel.get(organizationId) ?? (await statements.anyChannel.get({ organizationId })) !== undefined
    hasChannel.set(organizationId, isWanted)
    if (!isWanted) continue
    await statements.alertDue.run({
      organizationId,
      projectId: row.project_id,
      issueId: row.id,
      kind: alert,
      eventId: alertEventId,
      atMs: work.nowMs,
      untilMs: notifyAfter(row, work.nowMs),
    })
  }
}

/** Queues the ownership check of new and regressed issues. */
async function writeOwners(statements: BatchStatements, work: Work): Promise<void> {
  const ruled = new Map<number, boolean>()
  for (const { row, isNew, regressed, alertEventId: eventId } of work.issues.values()) {
    if (!(isNew || regressed)) continue
    const { project_id: projectId } = row
    const hasRules = ruled.get(projectId) ?? (await statements.ownership.get({ projectId })) !== undefined
    ruled.set(projectId, hasRules)
    if (hasRules) await statements.ownerDue.run({ issueId: row.id, projectId, eventId, atMs: work.nowMs })
  }
}

async function writeWork(statements: BatchStatements, work: Work): Promise<void> {
  for (const { row, latest } of work.issues.values())
    await statements.updateIssue.run(latest ? { ...row, ...latestTexts(latest) } : row)
  for (const release of work.releases.values()) await statements.release.run(release)
  for (const environment of work.environments.values()) await statements.environment.run(environment)
  for (const span of work.releaseEnvironments.values()) {
    const [version = '', environment = ''] = span.name.split('\n')
    await statements.releaseEnvironment({ ...span, version, environment })
  }
  for (const { effect, issueId } of work.digests.values()) {
    await statements.digest.run({
      projectId: effect.projectId,
      digest: effect.digest,
      issueId,
      eventId: effect.eventId,
      lastMs: effect.timestampMs,
    })
  }
  for (const [id, ms] of work.firstEvents) await statements.firstEvent.run({ id, ms })
  for (const [id, ms] of work.keysUsed) await statements.keyUsed.run({ id, ms })
}

/** Removes a replayed dead letter and subtracts its counts, because its record is counted again. */
async function removeReplayed(
  statements: BatchStatements,
  { id, spans = 0, of = 'span', ...count }: ReplayedDeadLetter,
): Promise<OutcomeCount[]> {
  if ((await statements.deleteDeadLetter.run({ id })).changes === 0) return []
  const reversed = { ...count, quantity: -1, bytes: -count.bytes }
  const deadOutcome = { outcome: 'dead', reason: 'sent_again' } as const
  return [
    { ...reversed, ...deadOutcome },
    ...(spans > 0 ? [{ ...reversed, ...deadOutcome, category: of, quantity: -spans, bytes: 0 }] : []),
    { ...reversed, category: 'default', quantity: -1 - spans, outcome: 'received', reason: 'ok' },
  ]
}

function seqOf(row: { seq: number } | undefined): number {
  if (!row) throw new Error('an insert returned no row')
  return row.seq
}

/** Clears the caches when `work` fails and is rolled back, for example on a full disk. The caller can retry it. */
function clearOnError<T>(caches: readonly { clearCache(): void }[], work: () => T): T {
  try {
    return work()
  } catch (error) {
    for (const cache of caches) cache.clearCache()
    throw error
  }
}

/** The part for refine: batches, and the single transaction that commits a batch. */
export function batchPart(store: Store, missingMaps: MissingMapWriter): Omit<BatchStore, 'projectSettings'> {
  const { write, dialect } = store
  const { builder } = dialect
  const statements = batchStatements(write, dialect)
  const writeOutcomes = outcomeWriter(store)
  const writeFeedback = feedbackWriter(store)
  const scrapes = scrapeWriter(store)
  const writeSamples = sampleWriter(store)
  const newEndWriter = errorEndWriter(store)
  const newDiagnostics = diagnosticWriter(store)
  const cursor = async () =>
    (await write.get(builder.selectFrom('cursor').select('jpos').where('id', '=', 1)))?.jpos ?? 0
  const open = async () =>
    (await write.all(builder.selectFrom('batch').selectAll().orderBy('seq'))).map(
      (row): Batch => ({ seq: row.seq, from: row.from_jpos, to: row.to_jpos }),
    )

  const commit = async (batch: Batch, effects: BatchEffects, nowMs: number): Promise<BatchResult> => {
    const oldest = (await open())[0]
    if (oldest?.seq !== batch.seq)
      throw new Error(
        `batch ${batch.seq} commits out of order: ${oldest ? `batch ${oldest.seq} is open` : 'no batch is open'}`,
      )
    if (batch.to < (await cursor()))
      throw new Error(`batch ${batch.seq} ends at ${batch.to}, before the cursor ${await cursor()}`)
    const work = newWork(nowMs)
    const writeEnd = newEndWriter()
    const diagnostics = newDiagnostics()
    for (const effect of effects.events) {
      if (!(await apply(statements, work, effect))) continue
      await missingMaps.record(effect, nowMs)
      await scrapes.record(effect, nowMs)
      diagnostics.add(effect)
      await writeEnd(effect, work.projects.get(effect.projectId)?.organization_id ?? 0)
    }
    for (const use of effects.releases ?? []) await applyUse(statements, work, use)
    await writeWork(statements, work)
    diagnostics.flush()
    await writeAlerts(statements, work)
    await writeOwners(statements, work)
    for (const attachment of effects.attachments) await statements.attachment.run(attachment)
    await writeSamples(effects.samples ?? [])
    for (const item of effects.dead) await statements.insertDeadLetter.run(item)
    const replayed = (
      await Array.fromAsync(effects.again ?? [], async (item) => removeReplayed(statements, item))
    ).flat()
    await writeOutcomes([...effects.outcomes, ...replayed, ...(await writeFeedback(effects.feedback ?? []))], nowMs)
    await write.run(builder.updateTable('cursor').set({ jpos: batch.to }).where('id', '=', 1))
    await write.run(builder.deleteFrom('batch').where('seq', '<=', batch.seq))
    return {
      issues: [...work.issues.values()].map(({ row, events, isNew, regressed }) => ({
        id: row.id,
        projectId: row.project_id,
        organizationId: row.organization_id,
        events,
        isNew,
        regressed,
      })),
    }
  }

  return {
    cursor,
    openBatches: open,
    openBatch: async (from, to) => ({
      seq: seqOf(await write.get(builder.insertInto('batch').values({ from_jpos: from, to_jpos: to }).returning('seq'))),
      from,
      to,
    }),
    commitBatch: (batch, effects, nowMs) =>
      clearOnError([missingMaps, scrapes], () => write.transaction(() => commit(batch, effects, nowMs))),
  }
}
