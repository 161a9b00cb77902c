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
  /** Lets the batches in flight end and holds the others, until the returned function is called. */
  pause(): Promise<() => void>
  /** After rows of a thing are gone: screens and accept are told. */
  removed(removal: Removal): Promise<void>
}

/** Deletion across the stores: asked for by people, done in the background, begun again after a crash where it stood. */
export type Removals = RemovalRequests & {
  /** Does all that is open; never runs twice at the same time. For the jobs table. */
  run(): Promise<Record<string, unknown>>
}

/** Event ids and files in one step: a crash repeats at most one step. */
const stepMax = 1000
const lookMs = 25

/** The files of an issue's events: found while the events stand, as only they say which issue an attachment belongs to. */
async function doomAttachments(deps: RemovalDeps, removal: Removal, hashes: readonly string[]): Promise<void> {
  const { meta, events } = deps
  const { id, projectId } = removal
  for (let after = ''; ; ) {
    const ids = meta.attachedEventIds(projectId, after, stepMax)
    const last = ids.at(-1)
    if (last === undefined) return
    meta.doomAttachments(id, projectId, await events.eventsAmong(projectId, hashes, ids))
    after = last
  }
}

/** Where the counts of removals that are under way outlive a crash: events so far, and the position up to which they were counted. */
const countsName = 'removal-counts'

type Counts = Record<string, { events: number; before: number }>

const readCounts = (meta: MetaStore): Counts => JSON.parse(meta.getValue(countsName) ?? '{}') as Counts

/**
 * How many events a removal takes, written down before any goes: a crash right after they went would know of none. When
 * it is begun again only those count that came since, whether the others stand yet or not.
 */
async function countOnce(deps: RemovalDeps, removal: Removal, hashes: readonly string[] | undefined): Promise<number> {
  const { meta } = deps
  const counts = readCounts(meta)
  const { events, before } = counts[removal.id] ?? { events: 0, before: 0 }
  const sum = events + (await deps.events.eventsFrom(removal.projectId, hashes, before))
  meta.setValue(countsName, JSON.stringify({ ...counts, [removal.id]: { events: sum, before: meta.cursor() } }))
  return sum
}

/** The removal's row has the sum now. */
function forgetCount(meta: MetaStore, removalId: number): void {
  const { [removalId]: _done, ...rest } = readCounts(meta)
  meta.setValue(countsName, JSON.stringify(rest))
}

/**
 * Takes events and rows away while nothing is being committed: a row that came in between would belong to no issue.
 * Returns false when a batch of before a crash has still to be recovered.
 */
async function removeRows(deps: RemovalDeps, removal: Removal): Promise<boolean> {
  const { meta, events } = deps
  const resume = await deps.pause()
  try {
    if (meta.openBatches().length > 0) return false
    const { projectId, issueId } = removal
    const hashes = issueId === null ? undefined : (meta.hashesOf([issueId]).get(issueId) ?? [])
    if (hashes) await doomAttachments(deps, removal, hashes)
    const gone = hashes?.length === 0 ? 0 : await countOnce(deps, removal, hashes)
    if (hashes?.length !== 0) await events.remove(projectId, hashes)
    meta.removeRows(removal.id, gone)
    forgetCount(meta, removal.id)
  } finally {
    resume()
  }
  await deps.removed(removal)
  return true
}

async function removeBlobs(deps: RemovalDeps, removal: Removal): Promise<void> {
  const { meta, blobs } = deps
  let count = meta.removalById(removal.id)?.blobs ?? 0
  const drop = async (keys: readonly string[]) => {
    for (const key of keys) await blobs.delete(key)
    count += keys.length
  }
  for (;;) {
    const keys = meta.doomedBlobs(removal.id, stepMax)
    if (keys.length === 0) break
    await drop(keys)
    meta.forgetDoomed(keys)
    meta.setRemoval(removal.id, { blobs: count })
  }
  // What no row named: a crash may have left it.
  if (removal.issueId === null) await drop(await blobs.list(`attachments/${removal.projectId}`))
  meta.setRemoval(removal.id, { blobs: count, stage: 'proof' })
}

/** Asks every store once more; throws what is left. An issue that came again in the meantime is a new issue. */
async function prove(deps: RemovalDeps, removal: Removal): Promise<void> {
  const { meta, events, blobs } = deps
  // A masked row is out of every answer at once, but its bytes leave with the part.
  await events.rewrite()
  const left: string[] = []
  if (removal.issueId === null) {
    const rows = await events.rowsOf(removal.projectId)
    if (rows > 0) left.push(`${rows} rows of events`)
    if (meta.projectById(removal.projectId)) left.push('the project')
    const files = await blobs.list(`attachments/${removal.projectId}`)
    if (files.length > 0) left.push(`${files.length} files`)
  } else if (meta.issueById(removal.issueId)) left.push('the issue')
  if (meta.doomedBlobs(removal.id, 1).length > 0) left.push('files')
  if (left.length > 0) throw new Error(`still there: ${left.join(', ')}`)
  meta.setRemoval(removal.id, { stage: 'done', endedMs: deps.clock.now(), error: '' })
}

/** An organization once its projects are gone; false while one of them is still on its way. */
async function finishOrganization(deps: RemovalDeps, removal: Removal): Promise<boolean> {
  const { meta, observe } = deps
  const { id, organizationId } = removal
  if (removal.stage === 'asked') {
    // One that was made in the meantime is asked for here, and taken by the next round.
    if (meta.askProjectsOf(organizationId, removal.userId) > 0) return false
    meta.removeOrganization(id)
    await deps.removed(removal)
  }
  const left = meta.organizationLeft(organizationId)
  if (left.length > 0) throw new Error(`still there: ${left.join(', ')}`)
  meta.setRemoval(id, { stage: 'done', endedMs: deps.clock.now(), error: '' })
  observe.info({ removal: id, organization: organizationId }, 'an organization is removed')
  return true
}

/** One removal from where it stands to its end; false when it has to wait. */
async function finish(deps: RemovalDeps, removal: Removal): Promise<boolean> {
  if (removal.kind === 'organization') return finishOrganization(deps, removal)
  if (removal.stage === 'asked' && !(await removeRows(deps, removal))) return false
  if (removal.stage !== 'proof') await removeBlobs(deps, removal)
  await prove(deps, removal)
  deps.observe.info({ removal: removal.id, kind: removal.kind, project: removal.projectId }, 'a removal is done')
  return true
}

/** Makes the removals of process app; nothing runs before `ask` or `run`. */
export function createRemovals(deps: RemovalDeps): Removals {
  const { meta, clock, observe } = deps
  const state: { running: Promise<Record<string, unknown>> | undefined } = { running: undefined }

  async function round(): Promise<Record<string, unknown>> {
    let done = 0
    let failed = 0
    // An organization after its projects, whatever was asked first.
    const rank = (removal: Removal) => Number(removal.kind === 'organization')
    for (const removal of meta.openRemovals().toSorted((a, b) => rank(a) - rank(b))) {
      try {
        if (await finish(deps, removal)) done++
      } catch (error) {
        failed++
        meta.setRemoval(removal.id, { error: String(error).slice(0, 300) })
        observe.warn({ removal: removal.id, error: String(error).slice(0, 300) }, 'a removal is tried again later')
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

  // One that is asked for while another runs is taken by the next round.
  const started = (removal: Removal): Removal => {
    void (state.running ?? Promise.resolve()).then(run).catch(() => undefined)
    return removal
  }

  return {
    ask: (value) => started(meta.askRemoval(value)),
    askOrganization: (value) => started(meta.askOrganizationRemoval(value)),
    run,
    wait: async (id, ms) => {
      for (const endMs = clock.now() + ms; ; ) {
        const found = meta.removalById(id)
        if (!found || found.endedMs !== null || clock.now() >= endMs) return found
        await clock.sleep(lookMs)
      }
    },
  }
}
