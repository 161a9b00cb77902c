import type { OutcomeCount } from '../../../base/outcome.ts'
import type { IssueRow } from '../issues/issue-state.ts'
import type { BatchEffects, ReplayedDeadLetter } from '../meta.ts'
import type { NewIssue } from './batch-issues.ts'
import type { loadBatch } from './batch-load.ts'
import { activityRow, type BatchStatements, type Place } from './batch-statements.ts'
import type { Work, WorkIssue } from './batch-work.ts'
import { notifyAfter } from './diagnostic-counts.ts'

type Loaded = Awaited<ReturnType<typeof loadBatch>>

/** Writes the issues of a batch and sets the ids of new ones. Attaches hashes afterwards, because they refer to them. */
async function writeIssues(statements: BatchStatements, { issues, activities }: Work, { loaded, hashes }: Loaded) {
  const created = [...issues.values()].filter((issue) => issue.isNew)
  const rows = created.map(({ row: { id: _, ...row } }) => row)
  for (const [at, id] of (await statements.insertIssues(rows)).entries()) Object.assign(created[at]?.row ?? {}, { id })
  const changed = [...issues.values()].filter((issue) => !issue.isNew).map((issue) => issue.row)
  await statements.updateIssues(changed, loaded.rows)
  const idOf = (target: number | NewIssue) => (typeof target === 'number' ? target : (issues.get(target)?.row.id ?? 0))
  await statements.attachHashes.run(
    hashes.map(({ projectId, hash, target }) => ({ project_id: projectId, hash, issue_id: idOf(target) })),
  )
  await statements.activities.run(
    activities.map(({ issue, type, createdMs, data }) => activityRow(issue.row.id, type, createdMs, data)),
  )
}

async function writeSpans(
  statements: BatchStatements,
  { issues, releases, environments, releaseEnvironments, firstEvents, keysUsed }: Work,
): Promise<void> {
  await statements.releases.run(
    [...releases.values()].map(({ project, name, firstMs, lastMs }) => ({
      organization_id: project.organization_id,
      project_id: project.id,
      version: name,
      first_event_ms: firstMs,
      last_event_ms: lastMs,
    })),
  )
  await statements.environments.run(
    [...environments.values()].map(({ project, name, firstMs, lastMs }) => ({
      project_id: project.id,
      name,
      first_seen_ms: firstMs,
      last_seen_ms: lastMs,
    })),
  )
  await statements.releaseEnvironments(
    [...releaseEnvironments.values()].map(({ project, name, firstMs, lastMs }): Place => {
      const [version = '', environment = ''] = name.split('\n')
      return { project_id: project.id, version, environment, first_event_ms: firstMs, last_event_ms: lastMs }
    }),
  )
  await statements.digests.run(
    [...issues.values()].flatMap(({ row, digests }) =>
      [...digests].map(([digest, { projectId, eventId, timestampMs }]) => ({
        project_id: projectId,
        digest,
        issue_id: row.id,
        event_id: eventId,
        last_ms: timestampMs,
      })),
    ),
  )
  await statements.firstEvents.run([...firstEvents].map(([id, ms]) => ({ id, ms })))
  await statements.keysUsed.run([...keysUsed].map(([id, ms]) => ({ id, ms })))
}

const idsOf = (rows: readonly { id: number }[]) => new Set(rows.map((row) => row.id))
const idList = (list: Iterable<number>) => [...new Set(list)].map((id) => ({ id }))

/** Queues alerts in the commit itself, so that a crash right after it loses none. */
async function writeAlerts(statements: BatchStatements, issues: readonly WorkIssue[], nowMs: number): Promise<void> {
  const alerts = issues.flatMap(({ row, alert, alertEventId }) => (alert === '' ? [] : { row, alert, alertEventId }))
  const organizations = idList(alerts.map(({ row }) => row.organization_id))
  const notified = idsOf(await statements.withChannels.all(organizations))
  await statements.alertsDue.run(
    alerts
      .filter(({ row }) => notified.has(row.organization_id))
      .map(({ row, alert, alertEventId }) => ({
        organization_id: row.organization_id,
        project_id: row.project_id,
        issue_id: row.id,
        kind: alert,
        event_id: alertEventId,
        at_ms: nowMs,
        until_ms: notifyAfter(row, nowMs),
      })),
  )
}

/** Queues what issue rules are evaluated for, in organizations that have such rules. */
export async function writeTriggers(
  statements: BatchStatements,
  { triggers }: Pick<Work, 'triggers'>,
  nowMs: number,
): Promise<void> {
  const ruled = idsOf(
    await statements.withIssueRules.all(idList(triggers.map(({ project }) => project.organization_id))),
  )
  await statements.issueTriggers.run(
    triggers
      .filter(({ project }) => ruled.has(project.organization_id))
      .map(({ kind, project, issue, eventId, environment, release }) => ({
        organization_id: project.organization_id,
        project_id: project.id,
        issue_id: issue?.row.id ?? null,
        kind,
        event_id: eventId,
        environment,
        release_version: release,
        at_ms: nowMs,
        until_ms: 0,
      })),
  )
}

/** Queues the ownership check of new and regressed issues. */
async function writeOwners(statements: BatchStatements, issues: readonly WorkIssue[], nowMs: number): Promise<void> {
  const unowned = issues.filter(({ isNew, regressed }) => isNew || regressed)
  const ruled = idsOf(await statements.withOwnership.all(idList(unowned.map(({ row }) => row.project_id))))
  const isRuled = (row: IssueRow) => ruled.has(row.project_id)
  await statements.ownersDue.run(
    unowned
      .filter(({ row }) => isRuled(row))
      .map(({ row, alertEventId }) => ({
        issue_id: row.id,
        project_id: row.project_id,
        event_id: alertEventId,
        at_ms: nowMs,
      })),
  )
}

/** Writes the changes of a batch: issues and all rows that refer to them. */
export async function writeWork(statements: BatchStatements, work: Work, loaded: Loaded): Promise<void> {
  await writeIssues(statements, work, loaded)
  await writeSpans(statements, work)
  const issues = [...work.issues.values()]
  await writeAlerts(statements, issues, loaded.loaded.nowMs)
  await writeTriggers(statements, work, loaded.loaded.nowMs)
  await writeOwners(statements, issues, loaded.loaded.nowMs)
}

/** Writes attachments and dead letters. */
export async function writeItems(
  statements: BatchStatements,
  { attachments, dead }: Pick<BatchEffects, 'attachments' | 'dead'>,
): Promise<void> {
  await statements.attachments.run(
    attachments.map(({ projectId, eventId, contentType, blobKey, receivedMs, ...attachment }) => ({
      project_id: projectId,
      event_id: eventId,
      name: attachment.name,
      type: attachment.type,
      content_type: contentType,
      bytes: attachment.bytes,
      blob_key: blobKey,
      received_ms: receivedMs,
    })),
  )
  await statements.deadLetters.run(
    dead.map(({ jpos, projectId, keyId, receivedMs, reason, bytes, blobKey }) => ({
      jpos,
      project_id: projectId,
      key_id: keyId,
      received_ms: receivedMs,
      reason,
      bytes,
      blob_key: blobKey,
    })),
  )
}

/** Removes replayed dead letters. Returns outcomes that subtract their counts, because their records count again. */
export async function removeReplayed(
  statements: BatchStatements,
  items: readonly ReplayedDeadLetter[],
): Promise<OutcomeCount[]> {
  const removed = idsOf(await statements.deleteDeadLetters.all(idList(items.map((item) => item.id))))
  return items.flatMap(({ id, spans = 0, of = 'span', ...count }): OutcomeCount[] => {
    // An item that is there twice was removed once.
    if (!removed.delete(id)) return []
    const reversed = { ...count, quantity: -1, bytes: -count.bytes }
    const deadOutcome = { outcome: 'dead', reason: 'sent_again' } as const
    return [
      { ...reversed, ...deadOutcome },
      ...(spans > 0 ? [{ ...reversed, ...deadOutcome, category: of, quantity: -spans, bytes: 0 }] : []),
      { ...reversed, category: 'default', quantity: -1 - spans, outcome: 'received', reason: 'ok' },
    ]
  })
}
