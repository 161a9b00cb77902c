import type { Clock } from '../base/clock.ts'
import type { JournalReader } from '../journal/journal.ts'
import type { BlobStore } from '../store/blobs/blobs.ts'
import type { EventStore } from '../store/events/event-store.ts'
import type { TableTally } from '../store/events/table.ts'
import { type AnyTable, anyTable, tableNames, tableOfCategory } from '../store/events/tables.ts'
import type { OutcomeRow } from '../store/meta/meta.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'

export type VerifyDeps = {
  clock: Clock
  meta: MetaWith<
    | 'snapshots.faults'
    | 'snapshots.counters'
    | 'snapshots.blobKeys'
    | 'batches.cursor'
    | 'batches.openBatches'
    | 'issues.issueIdsOf'
    | 'ledger.outcomesSince'
    | 'snapshots.tally'
    | 'retention.removedEvents'
    | 'organizations.retainedSince'
    | 'retention.downsampleSteps'
    | 'retention.traceSteps'
    | 'retention.reprocessingSteps'
    | 'retention.downsampledOf'
    | 'releases.orphanReleases'
    | 'projects.projectById'
    | 'values.getValue'
  >
  events: Pick<EventStore, 'check' | 'tally'>
  blobs: Pick<BlobStore, 'list' | 'reader'>
  journal: Pick<JournalReader, 'read'>
  /** End of the journal on disk. */
  durable: number
  /** Data received before this time was dropped, so counters can be larger than rows. */
  retainedSinceMs: number
}

/** One invariant: how much was checked, and up to ten violations. */
export type Check = { name: string; sentence: string; looked: number; wrong: string[] }

const problemsShownMax = 10
const recordsMax = 500
const bytesMax = 8 * 1024 * 1024
/** 13 months of any length. */
const ledgerRetentionMs = 395 * 86_400_000

type Found = Awaited<ReturnType<EventStore['check']>>

function check(name: string, sentence: string, looked: number, wrong: Iterable<string>): Check {
  const found: string[] = []
  let more = 0
  for (const item of wrong) {
    if (found.length < problemsShownMax) found.push(item)
    else more++
  }
  return { name, sentence, looked, wrong: more ? [...found, `and ${more} more`] : found }
}

/** Returns rows and downsampled events by issue, and groups without an issue. */
async function rowsByIssue(
  deps: VerifyDeps,
  groups: Found['groups'],
): Promise<{ rows: Map<number, number>; downsampled: Map<number, number>; orphans: string[] }> {
  const ids = await deps.meta.issues.issueIdsOf(groups)
  const rows = new Map<number, number>()
  const downsampled = new Map<number, number>()
  const orphans: string[] = []
  for (const group of groups) {
    const id = ids.get(`${group.projectId}:${group.groupHash}`)
    if (id === undefined) {
      const events = group.rows + group.thinned
      orphans.push(`${events} events of group ${group.groupHash} in project ${group.projectId}`)
      continue
    }
    rows.set(id, (rows.get(id) ?? 0) + group.rows)
    if (group.thinned > 0) downsampled.set(id, (downsampled.get(id) ?? 0) + group.thinned)
  }
  return { rows, downsampled, orphans }
}

async function checkCounters(
  deps: VerifyDeps,
  { rows, downsampled }: Awaited<ReturnType<typeof rowsByIssue>>,
): Promise<Check> {
  const counters = await deps.meta.snapshots.counters()
  const retainedSince = await deps.meta.organizations.retainedSince()
  const wrong = counters.flatMap(({ issueId, projectId, count, firstSeenMs }) => {
    const stored = rows.get(issueId) ?? 0
    const downsampledRows = downsampled.get(issueId) ?? 0
    // An issue older than the retention can have lost rows, but never gained any.
    const sinceMs = Math.max(deps.retainedSinceMs, retainedSince.get(projectId) ?? 0)
    const isConsistent = firstSeenMs >= sinceMs ? stored + downsampledRows === count : stored + downsampledRows <= count
    return isConsistent
      ? []
      : [
          `issue ${issueId} counts ${count}, but ${stored} are stored${downsampledRows ? ` and ${downsampledRows} downsampled` : ''}`,
        ]
  })
  return check('counters', 'The count of each issue is its stored plus its downsampled events.', counters.length, wrong)
}

/** Compares ledger counts with the rows of a table. Once rows have expired, the ledger counts more than are stored. */
async function checkTable(
  deps: VerifyDeps,
  { name, tally, categories, evictedName }: AnyTable,
  tallies: TableTally[],
): Promise<Check> {
  const hasEvicted = (await deps.meta.values.getValue(evictedName)) !== undefined
  const stored = new Map<string, number>()
  for (const item of await deps.meta.ledger.outcomesSince({ fromMs: 0 })) {
    const key = `${item.projectId} ${item.category}`
    if (item.outcome === 'stored' && categories.includes(item.category))
      stored.set(key, (stored.get(key) ?? 0) + item.quantity)
  }
  const ledger = new Map(
    tallies.flatMap(({ projectId, counts }) =>
      categories.map((category): [string, number] => [`${projectId} ${category}`, counts[category] ?? 0]),
    ),
  )
  const wrong: string[] = []
  for (const key of new Set([...stored.keys(), ...ledger.keys()])) {
    const [id = '', category = ''] = key.split(' ')
    const [counted, rows] = [stored.get(key) ?? 0, ledger.get(key) ?? 0]
    // The removal of a project deletes its rows, but the ledger still counts them.
    const isRemoved = (await deps.meta.projects.projectById(Number(id))) === undefined
    const isConsistent = isRemoved ? rows === 0 : hasEvicted ? counted >= rows : counted === rows
    if (!isConsistent) wrong.push(`project ${id}: the ledger says ${counted} stored of ${category}, but ${rows} exist`)
  }
  return check(name, tally?.sentence ?? '', stored.size, wrong)
}

/**
 * Versions before this one deleted the ledger after 13 months even if events are kept longer. Those rows are counted
 * nowhere, so a comparison is impossible.
 */
function isLedgerCut(deps: VerifyDeps, outcomes: OutcomeRow[], oldestRowMs: number): boolean {
  const fromMs = outcomes.reduce((least, row) => Math.min(least, row.hourMs), deps.clock.now())
  return oldestRowMs < deps.clock.now() - ledgerRetentionMs && fromMs > oldestRowMs
}

async function checkLedger(deps: VerifyDeps, groups: Found['groups']): Promise<Check> {
  const stored = new Map<number, number>()
  const outcomes = await deps.meta.ledger.outcomesSince({ fromMs: 0 })
  for (const outcome of outcomes)
    if (outcome.outcome === 'stored' && tableOfCategory(outcome.category) === 'events' && outcome.projectId !== 0)
      stored.set(outcome.projectId, (stored.get(outcome.projectId) ?? 0) + outcome.quantity)
  const rows = new Map<number, number>()
  // Downsampled events still count as stored.
  for (const group of groups) rows.set(group.projectId, (rows.get(group.projectId) ?? 0) + group.rows + group.thinned)
  const removed = await deps.meta.retention.removedEvents()
  const retainedSince = await deps.meta.organizations.retainedSince()
  const oldest = groups.reduce((least, group) => Math.min(least, group.oldestReceivedMs), deps.clock.now())
  if (isLedgerCut(deps, outcomes, oldest))
    return check('ledger', 'Not compared: an earlier version removed the ledger of the oldest events.', 0, [])
  const wrong = [...new Set([...stored.keys(), ...rows.keys()])].flatMap((id) => {
    const counted = stored.get(id) ?? 0
    const removedRows = removed.get(id) ?? 0
    const rowCount = rows.get(id) ?? 0
    // Removed events still count as stored. Their number is recorded separately.
    const isWhole = oldest >= deps.retainedSinceMs && !retainedSince.has(id)
    return (isWhole ? counted - removedRows === rowCount : counted >= rowCount)
      ? []
      : [
          `project ${id}: the ledger says ${counted} stored${removedRows ? ` and ${removedRows} removed` : ''}, but ${rowCount} exist`,
        ]
  })
  return check(
    'ledger',
    'The events that the ledger counts as stored are stored, or were downsampled since.',
    stored.size,
    wrong,
  )
}

/** Compares the downsampled counts of issues with the recorded rows. Counts older than the retention are gone. */
async function checkDownsampled(
  deps: VerifyDeps,
  { downsampled }: Awaited<ReturnType<typeof rowsByIssue>>,
): Promise<Check> {
  const counters = await deps.meta.snapshots.counters()
  const recordedCounts = await deps.meta.retention.downsampledOf(counters.map((counter) => counter.issueId))
  const retainedSince = await deps.meta.organizations.retainedSince()
  const wrong = counters.flatMap(({ issueId, projectId, firstSeenMs }) => {
    const [actual, recorded] = [downsampled.get(issueId) ?? 0, recordedCounts.get(issueId) ?? 0]
    const sinceMs = Math.max(deps.retainedSinceMs, retainedSince.get(projectId) ?? 0)
    if (firstSeenMs >= sinceMs ? actual === recorded : actual <= recorded) return []
    return [`issue ${issueId} says that ${recorded} were downsampled, ${actual} were`]
  })
  return check('thinned', 'Each issue says how many of its events were downsampled.', recordedCounts.size, wrong)
}

/**
 * A list of a bucket has pages of 1,000 keys and is slower to agree with a write than a request for one key. So each key
 * that the list lacks is asked for by itself: what counts is that its file can be read.
 */
async function checkBlobs(deps: VerifyDeps): Promise<Check> {
  const storedKeys = new Set(await deps.blobs.list(''))
  const named = await deps.meta.snapshots.blobKeys()
  const missing: string[] = []
  for (const key of named) {
    if (storedKeys.has(key)) continue
    const reader = await deps.blobs.reader(key)
    if (reader) await reader.close()
    else missing.push(key)
  }
  return check(
    'blobs',
    'Every attachment, dead letter and uploaded bundle has its file.',
    named.length,
    missing.map((key) => `${key} is missing`),
  )
}

async function checkJournal(deps: VerifyDeps): Promise<Check> {
  let from = await deps.meta.batches.cursor()
  let records = 0
  const wrong: string[] = []
  for (;;) {
    try {
      const read = deps.journal.read(from, deps.durable, recordsMax, bytesMax)
      records += read.records.length
      if (read.next === from) break
      from = read.next
    } catch (error) {
      wrong.push(`after position ${from}: ${String(error).slice(0, 200)}`)
      break
    }
  }
  return check('journal', 'The waiting records of the journal can be read.', records, wrong)
}

/**
 * Names rows beyond the last commit. Events come from one lane of the journal. Other rows come from both, and nothing in a
 * row tells its lane: they are compared with the later cursor.
 */
async function rowsBeyond(
  { meta }: VerifyDeps,
  events: { rows: number; lastJpos: number },
  others: readonly { lastJpos: number }[],
): Promise<string[]> {
  if ((await meta.batches.openBatches()).length > 0) return []
  const ofEvents = await meta.batches.cursor('events')
  const last = Math.max(ofEvents, await meta.batches.cursor('bulk'))
  const otherJpos = Math.max(0, ...others.map(({ lastJpos }) => lastJpos))
  return [
    ...(events.rows > 0 && events.lastJpos >= ofEvents
      ? [`a row is at ${events.lastJpos}, the cursor at ${ofEvents}`]
      : []),
    ...(others.length > 0 && otherJpos >= last ? [`a row is at ${otherJpos}, the cursor at ${last}`] : []),
  ]
}

/** Checks all invariants across the stores, read-only. Refining must pause meanwhile, or counts would change. */
export async function verify(deps: VerifyDeps): Promise<Check[]> {
  const step = (await deps.meta.retention.downsampleSteps()).find((downsampleStep) => downsampleStep.stage !== 'cut')
  const reprocessing = (await deps.meta.retention.reprocessingSteps()).find(
    (reprocessStep) => reprocessStep.stage !== 'cut',
  )
  const traceSteps = await deps.meta.retention.traceSteps()
  const found = await deps.events.check(
    step && { step: step.id, counted: step.stage === 'counted', cut: step.cut },
    reprocessing && { counted: reprocessing.stage === 'counted', rewrite: reprocessing.rewrite },
    traceSteps.filter(({ stage }) => stage === 'counted').map(({ day }) => day),
  )
  const tallied = tableNames.filter((name) => anyTable(name).tally)
  const tallies = await Promise.all(tallied.map((name) => deps.events.tally(name)))
  const others = tallies.flat()
  const byIssue = await rowsByIssue(deps, found.groups)
  const total = found.groups.reduce((sum, group) => sum + group.rows, 0)
  const integrityErrors = await deps.meta.snapshots.faults()
  const releases = await deps.meta.releases.orphanReleases()
  const beyond = await rowsBeyond(deps, { rows: total, lastJpos: found.lastJpos }, others)
  const twice = found.twice + others.reduce((sum, other) => sum + other.twice, 0)
  return [
    check(
      'database',
      'The database file is intact, and no row that it names is missing.',
      (await deps.meta.snapshots.tally()).issues,
      integrityErrors,
    ),
    check('issues', 'Every stored event belongs to an issue.', total, byIssue.orphans),
    await checkCounters(deps, byIssue),
    await checkDownsampled(deps, byIssue),
    await checkLedger(deps, found.groups),
    ...(await Promise.all(tallied.map((name, at) => checkTable(deps, anyTable(name), tallies[at] ?? [])))),
    check('once', 'No event and no span is stored twice.', total, twice > 0 ? [`${twice} rows too many`] : []),
    check(
      'rollups',
      'The hourly counts match the events and the spans.',
      Object.keys(found.rollups).length,
      Object.entries(found.rollups).flatMap(([name, off]) => (off > 0 ? [`${name}: ${off} groups differ`] : [])),
    ),
    check('cursor', 'Nothing is stored beyond the last commit.', total, beyond),
    check('releases', 'Commits, refs and deploys belong to a release that exists.', releases.looked, releases.orphans),
    await checkBlobs(deps),
    await checkJournal(deps),
  ]
}
