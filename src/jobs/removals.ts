import type { Clock } from '../base/clock.ts'
import type { Observe } from '../base/observe.ts'
import type { RemovalRequests } from '../operations/removals.ts'
import type { BlobStore } from '../store/blobs/blobs.ts'
import type { EventStore } from '../store/events/event-store.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'
import type { Removal } from '../store/meta/retention/removals.ts'

export type RemovalDeps = {
  clock: Clock
  observe: Observe
  meta: MetaStore
  events: Pick<EventStore, 'remove' | 'rewrite' | 'rowsOf' | 'eventsAmong' | 'eventsFrom'>
  blobs: Pick<BlobStore, 'delete' | 'list'>
  /** Waits for batches in flight and blocks new ones until the returned function is called. */
  pause(): Promise<() => void>
  /** Called after the rows are removed, to notify the screens and ingest. */
  removed(removal: Removal): Promise<void>
}

/** Deletion across the stores. Users request it, it runs in the background, and it resumes after a crash. */
export type Removals = RemovalRequests & {
  /** Runs all open removals. Never runs twice at the same time. For the jobs table. */
  run(): Promise<Record<string, unknown>>
}

/** Event ids and files per step. A crash repeats at most one step. */
const stepMax = 1000
const pollMs = 25

/** Records the files of an issue while its events exist: only they link attachments to the issue. */
async function queueAttachments(deps: RemovalDeps, removal: Removal, hashes: readonly string[]): Promise<void> {
  const { meta, events } = deps
  const { id, projectId } = removal
  for (let after = ''; ; ) {
    const ids = await meta.retention.attachedEventIds(projectId, after, stepMax)
    const last = ids.at(-1)
    if (last === undefined) return
    await meta.retention.doomAttachments(id, projectId, await events.eventsAmong(projectId, hashes, ids))
    after = last
  }
}

/** Stored counts of open removals, to survive a crash: events so far, and the position up to which they count. */
const countsName = 'removal-counts'

type Counts = Record<string, { events: number; before: number }>

const readCounts = async (meta: MetaStore): Promise<Counts> =>
  JSON.parse((await meta.values.getValue(countsName)) ?? '{}') as Counts

/**
 * Counts the events of a removal and stores the number before any are removed: a crash could lose it. When a removal
 * resumes, it only counts events that arrived since, whether or not the others still exist.
 */
async function countOnce(deps: RemovalDeps, removal: Removal, hashes: readonly string[] | undefined): Promise<number> {
  const { meta } = deps
  const counts = await readCounts(meta)
  const { events, before } = counts[removal.id] ?? { events: 0, before: 0 }
  const sum = events + (await deps.events.eventsFrom(removal.projectId, hashes, before))
  await meta.values.setValue(
    countsName,
    JSON.stringify({ ...counts, [removal.id]: { events: sum, before: await meta.batches.cursor('events') } }),
  )
  return sum
}

/** Drops the stored count once the row of the removal has the sum. */
async function dropCount(meta: MetaStore, removalId: number): Promise<void> {
  const { [removalId]: _done, ...rest } = await readCounts(meta)
  await meta.values.setValue(countsName, JSON.stringify(rest))
}

/**
 * Removes events and rows while commits are paused: a row committed in between would belong to no issue. Returns false
 * if a batch from before a crash must be recovered first.
 */
async function removeRows(deps: RemovalDeps, removal: Removal): Promise<boolean> {
  const { meta, events } = deps
  const resume = await deps.pause()
  try {
    if ((await meta.batches.openBatches()).length > 0) return false
    const { projectId, issueId } = removal
    const hashes = issueId === null ? undefined : ((await meta.issues.hashesOf([issueId])).get(issueId) ?? [])
    if (hashes) await queueAttachments(deps, removal, hashes)
    const removedEvents = hashes?.length === 0 ? 0 : await countOnce(deps, removal, hashes)
    if (hashes?.length !== 0) await events.remove(projectId, hashes)
    await meta.retention.removeRows(removal.id, removedEvents)
    await dropCount(meta, removal.id)
  } finally {
    resume()
  }
  await deps.removed(removal)
  return true
}

async function removeBlobs(deps: RemovalDeps, removal: Removal): Promise<void> {
  const { meta, blobs } = deps
  let count = (await meta.retention.removalById(removal.id))?.blobs ?? 0
  const drop = async (keys: readonly string[]) => {
    for (const key of keys) await blobs.delete(key)
    count += keys.length
  }
  for (;;) {
    const keys = await meta.retention.doomedBlobs(removal.id, stepMax)
    if (keys.length === 0) break
    await drop(keys)
    await meta.retention.forgetDoomed(keys)
    await meta.retention.setRemoval(removal.id, { blobs: count })
  }
  // Files without a row: a crash can leave them.
  if (removal.issueId === null) await drop(await blobs.list(`attachments/${removal.projectId}`))
  await meta.retention.setRemoval(removal.id, { blobs: count, stage: 'proof' })
}

/** Checks every store again and throws what is left. An issue that was created again in the meantime is a new issue. */
async function verifyRemoval(deps: RemovalDeps, removal: Removal): Promise<void> {
  const { meta, events, blobs } = deps
  // Masked rows are hidden at once, but their bytes are freed when the part is rewritten.
  await events.rewrite()
  const left: string[] = []
  if (removal.issueId === null) {
    const rows = await events.rowsOf(removal.projectId)
    if (rows > 0) left.push(`${rows} rows of events`)
    if (await meta.projects.projectById(removal.projectId)) left.push('the project')
    const files = await blobs.list(`attachments/${removal.projectId}`)
    if (files.length > 0) left.push(`${files.length} files`)
  } else if (await meta.issues.issueById(removal.issueId)) left.push('the issue')
  if ((await meta.retention.doomedBlobs(removal.id, 1)).length > 0) left.push('files')
  if (left.length > 0) throw new Error(`still there: ${left.join(', ')}`)
  await meta.retention.setRemoval(removal.id, { stage: 'done', endedMs: deps.clock.now(), error: '' })
}

/** Removes an organization after its projects. Returns false while a project still remains. */
async function finishOrganization(deps: RemovalDeps, removal: Removal): Promise<boolean> {
  const { meta, observe } = deps
  const { id, organizationId } = removal
  if (removal.stage === 'asked') {
    // Projects created in the meantime are queued here and removed in the next round.
    if ((await meta.retention.requestProjectRemovals(organizationId, removal.userId)) > 0) return false
    await meta.retention.removeOrganization(id)
    await deps.removed(removal)
  }
  const left = await meta.retention.organizationLeft(organizationId)
  if (left.length > 0) throw new Error(`still there: ${left.join(', ')}`)
  await meta.retention.setRemoval(id, { stage: 'done', endedMs: deps.clock.now(), error: '' })
  observe.info({ removal: id, organization: organizationId }, 'an organization is removed')
  return true
}

/** Completes one removal from its current stage. Returns false if it must wait. */
async function finish(deps: RemovalDeps, removal: Removal): Promise<boolean> {
  if (removal.kind === 'organization') return finishOrganization(deps, removal)
  if (removal.stage === 'asked' && !(await removeRows(deps, removal))) return false
  if (removal.stage !== 'proof') await removeBlobs(deps, removal)
  await verifyRemoval(deps, removal)
  deps.observe.info({ removal: removal.id, kind: removal.kind, project: removal.projectId }, 'a removal is done')
  return true
}

/** Creates the removals of the app process. Nothing runs before `request` or `run`. */
export function createRemovals(deps: RemovalDeps): Removals {
  const { meta, clock, observe } = deps
  const state: { running: Promise<Record<string, unknown>> | undefined } = { running: undefined }

  async function round(): Promise<Record<string, unknown>> {
    let done = 0
    let failed = 0
    // Remove organizations after their projects, regardless of the request order.
    const rank = (removal: Removal) => Number(removal.kind === 'organization')
    for (const removal of (await meta.retention.openRemovals()).toSorted((a, b) => rank(a) - rank(b))) {
      try {
        if (await finish(deps, removal)) done++
      } catch (error) {
        failed++
        await meta.retention.setRemoval(removal.id, { error: String(error).slice(0, 300) })
        observe.warn({ removal: removal.id, error: String(error).slice(0, 300) }, 'a removal is retried later')
      }
    }
    return { done, failed }
  }

  const run = (): Promise<Record<string, unknown>> => {
    state.running ??= round().finally(() => {
      state.running = undefined
    })
    return state.running
  }

  // A removal requested during a round runs in the next round.
  const started = (removal: Removal): Removal => {
    void (state.running ?? Promise.resolve()).then(run).catch(() => undefined)
    return removal
  }

  return {
    request: async (value) => started(await meta.retention.requestRemoval(value)),
    requestOrganization: async (value) => started(await meta.retention.requestOrganizationRemoval(value)),
    run,
    wait: async (id, ms) => {
      for (const endMs = clock.now() + ms; ; ) {
        const found = await meta.retention.removalById(id)
        if (!found || found.endedMs !== null || clock.now() >= endMs) return found
        await clock.sleep(pollMs)
      }
    },
  }
}
