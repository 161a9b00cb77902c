import { randomUUID } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import { MishapError } from '../../base/errors.ts'
import { faultOf, type Observe } from '../../base/observe.ts'
import type { OutcomeCount } from '../../base/outcome.ts'
import type { DeadLetterCount } from '../../journal/dead-letter.ts'
import type { BlobStore } from '../../store/blobs/blobs.ts'
import type { EventStore } from '../../store/events/event-store.ts'
import { byteLengthOf, linesOf, type Rows } from '../../store/events/row-file.ts'
import type { Places } from '../../store/events/table.ts'
import { anyTable, type TableName, tableNames } from '../../store/events/tables.ts'
import type { Batch, BatchEffects } from '../../store/meta/meta.ts'
import { type StoredPlaces, sumOf } from '../kinds/kind.ts'
import { deadLetterKeyOf, recordOf } from './dead-letters.ts'
import { type Deduplicated, isStoredGroup, type Memory } from './deduplicate.ts'
import type { RangeGroup, RefinedRange } from './range.ts'
import { type Waits, waitedForOf, withRetry } from './retry.ts'
import type { WorkerSetup } from './worker.ts'

/** The dependencies for writing a batch into the events store. */
export type Storing = {
  clock: Clock
  observe: Observe
  events: EventStore
  blobs: BlobStore
  memory: Memory
  worker: WorkerSetup
  stopped: AbortController
  waits: Waits
}

/**
 * The insert token of a batch for a table. Batches of two lanes can have the same positions. Lane `events` is not named:
 * an insert of a version without lanes can still run.
 */
const token = (table: TableName, { from, to, lane }: Pick<Batch, 'from' | 'to' | 'lane'>): string =>
  `${anyTable(table).token}:${lane === 'events' ? '' : `${lane}:`}${from}-${to}`

/**
 * A token for rows that are inserted again after asking which rows are stored. It is never reused: the engine writes a
 * token before the rows. If a crash kept the token without the rows, a reused token would drop them silently.
 */
const newToken = (table: TableName, batch: Batch): string => `${token(table, batch)}:${randomUUID()}`

/** Tries of rows that the store refuses because of their content: some of these errors are temporary. */
const triesMax = 5

/** Waits until no insert of the batch into a table runs, then returns its stored rows. Retries until that works. */
export const settle = (work: Storing, table: TableName, batch: Batch): Promise<Places> =>
  withRetry(work, 'events', () => work.events.settle(table, token(table, batch), batch.from, batch.to))

/** Does the same for all tables. */
export async function settleAll(work: Storing, batch: Batch): Promise<StoredPlaces> {
  const stored = new Map<TableName, Places>()
  for (const table of tableNames) stored.set(table, await settle(work, table, batch))
  return stored
}

/** The lines of these groups that are not stored: a whole group, or the lines of its missing places. */
function missingLines(whole: Buffer, groups: readonly RangeGroup[], stored: Places): Buffer[] {
  return groups.flatMap((group): Buffer[] => {
    const places = stored.get(group.jpos)
    const lines = whole.subarray(group.from, group.to)
    if (!places) return [lines]
    const missing: Buffer[] = []
    for (let [at, row] = [0, 0]; at < lines.length; row++) {
      const end = lines.indexOf(10, at) + 1 || lines.length
      if (!places.has(group.places?.[row] ?? group.place + row)) missing.push(lines.subarray(at, end))
      at = end
    }
    return missing
  })
}

/** Joins lines in order into pieces of at most `bytesMax`. A larger group becomes a piece of its own. */
function chunksOf(lines: readonly Buffer[], bytesMax: number): Buffer[] {
  const chunks: Buffer[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const line of lines) {
    if (bytes + line.length > bytesMax || chunks.length === 0) {
      chunks.push([])
      bytes = 0
    }
    chunks.at(-1)?.push(line)
    bytes += line.length
  }
  return chunks.map((chunk) => Buffer.concat(chunk))
}

/** The insert of a batch into one table. */
type Insert = { batch: Batch; range: RefinedRange; table: TableName }

function missingChunks({ range, table }: Insert, groups: readonly RangeGroup[], stored: Places): Rows[] {
  const rows = range.lines.get(table) ?? new Uint8Array(0)
  const { insertBytesMax } = anyTable(table)
  const bytes = groups.reduce((sum, { from, to }) => sum + to - from, 0)
  if (bytes === 0) return []
  // The usual case, without a copy of 20 MB.
  if (stored.size === 0 && bytes === byteLengthOf(rows) && bytes <= insertBytesMax) return [rows]
  return chunksOf(missingLines(linesOf(rows), groups, stored), insertBytesMax)
}

/**
 * Inserts until each row is stored exactly once. Waits while the store is down. After an unclear answer, it asks which
 * rows are stored and inserts only the missing ones. They get a new token, because a token stands for identical rows.
 * Throws the store's error after `contentTriesMax` refusals because of content.
 */
async function insertOnce(
  work: Storing,
  insert: Insert,
  groups: readonly RangeGroup[],
  { stored, name, contentTriesMax }: { stored: Places; name: string; contentTriesMax: number },
): Promise<void> {
  const { table, batch } = insert
  let chunks = missingChunks(insert, groups, stored)
  let insertName = name
  for (let tries = 1; chunks.length > 0; tries++) {
    try {
      for (const [at, chunk] of chunks.entries())
        await work.events.insert(table, chunk, at === 0 ? insertName : `${insertName}:${at}`)
      chunks = []
    } catch (error) {
      if (work.stopped.signal.aborted) throw error
      const isOutage = error instanceof MishapError && error.code === 'STORE_UNAVAILABLE'
      if (isOutage) work.waits.begin('events')
      // The store answers, so the rows are at fault.
      else work.waits.end('events')
      if (!isOutage && tries >= contentTriesMax) throw error
      work.observe.warn(
        { table, from: batch.from, tries, error: faultOf(error) },
        'the insert of a batch is not confirmed',
      )
      await work.clock.sleep(Math.min(2000, 50 * 2 ** Math.min(tries, 8)), work.stopped.signal)
      chunks = missingChunks(insert, groups, await settle(work, table, batch))
      insertName = newToken(table, batch)
    }
  }
  work.waits.end('events')
}

/** Stores the source of a refused group as a dead letter, for inspection and replay. Returns its outcomes. */
async function storeDeadLetter(
  work: Storing,
  insert: Insert,
  group: RangeGroup,
  error: unknown,
): Promise<OutcomeCount[]> {
  const { range, batch, table } = insert
  const { projectId, receivedMs, jpos, index, part, outcomes } = group
  const [ownOutcome] = outcomes
  if (!ownOutcome) return []
  const { keyId, bytes, category, itemType } = ownOutcome
  const blobKey = deadLetterKeyOf(group)
  const more = sumOf(outcomes) - 1
  // An event's row has the position of its record plus its index.
  const from = { jpos: part === 'only' ? jpos - index : jpos, index, part }
  const count: DeadLetterCount = { category, itemType }
  if (more > 0) count.spans = more
  const lastCategory = outcomes.at(-1)?.category
  if (more > 0 && lastCategory !== undefined && lastCategory !== 'span') count.of = lastCategory
  const rows = range.lines.get(table) ?? new Uint8Array(0)
  const record = (await recordOf(work, batch, from, count)) ?? linesOf(rows).subarray(group.from, group.to)
  await withRetry(work, waitedForOf(work.blobs), () => work.blobs.put(blobKey, record))
  // It is not stored, so a resend is no duplicate.
  work.memory.get(group.window)?.forget(projectId, group.key)
  range.dead.push({ jpos, projectId, keyId, receivedMs, reason: faultOf(error), bytes, blobKey })
  return outcomes.map((end) => ({ ...end, outcome: 'dead', reason: 'failed' }))
}

/** Whether the file system failed. The events store reports faults of its own as other errors. */
const isFileFault = (error: unknown): boolean => error instanceof Error && 'syscall' in error

type StoredRows = { groups: RangeGroup[]; outcomes: OutcomeCount[] }

const asStored = (groups: readonly RangeGroup[]): StoredRows => ({
  groups: [...groups],
  outcomes: groups.flatMap(({ outcomes }) => outcomes),
})

/**
 * Inserts the rows of one table. Returns the stored groups and the outcomes of all. If the store refuses the content,
 * each group is inserted alone, and a group that is refused alone becomes a dead letter.
 */
async function storeTable(
  work: Storing,
  insert: Insert,
  groups: readonly RangeGroup[],
  { stored, recovers }: { stored: Places; recovers: boolean },
): Promise<StoredRows> {
  const { batch, table } = insert
  if (groups.length === 0) return asStored([])
  try {
    const name = recovers ? newToken(table, batch) : token(table, batch)
    await insertOnce(work, insert, groups, { stored, name, contentTriesMax: triesMax })
    return asStored(groups)
  } catch (error) {
    if (work.stopped.signal.aborted) throw error
    work.observe.error({ table, from: batch.from, error: faultOf(error) }, 'the events store rejected rows of a batch')
  }
  const settled = await settle(work, table, batch)
  const done: StoredRows = { groups: [], outcomes: [] }
  for (const group of groups) {
    try {
      const name = newToken(table, batch)
      await insertOnce(work, insert, [group], { stored: settled, name, contentTriesMax: 1 })
      done.groups.push(group)
      done.outcomes.push(...group.outcomes)
    } catch (error) {
      // Without its file of rows the batch fails, and a start refines it again: the records are not at fault.
      if (work.stopped.signal.aborted || isFileFault(error)) throw error
      done.outcomes.push(...(await storeDeadLetter(work, insert, group, error)))
    }
  }
  return done
}

/**
 * Inserts the rows of a batch under its tokens (in a recovery under new ones). Returns the effects to commit. The
 * tables are written in parallel, so events do not wait for spans.
 */
export async function store(
  work: Storing,
  batch: Batch,
  range: RefinedRange,
  { groups, outcomes }: Deduplicated,
  stored: StoredPlaces,
  recovers = false,
): Promise<BatchEffects> {
  const byTable = Map.groupBy(groups, ({ table }) => table)
  const done = await Promise.all(
    [...byTable].map(([table, tableGroups]) =>
      storeTable(work, { batch, range, table }, tableGroups, { stored: stored.get(table) ?? new Map(), recovers }),
    ),
  )
  const events = done.flatMap((table) => table.groups.flatMap(({ effect }) => effect ?? []))
  return {
    ...range.effects,
    events,
    outcomes: [...outcomes, ...done.flatMap((table) => table.outcomes)],
    dead: range.dead,
    again: range.again,
  }
}

/** Tables with new rows whose rollups may be incomplete after a power cut. */
export const tablesToRecount = ({ groups }: Deduplicated, stored: StoredPlaces): TableName[] =>
  tableNames.filter(
    (table) =>
      anyTable(table).hasRollups && groups.some((group) => group.table === table && !isStoredGroup(stored, group)),
  )
