import { type Selectable, sql } from 'kysely'
import {
  type Decision,
  decide,
  type ErrorEnd,
  type JoinReason,
  type LinkCandidates,
  routeWindowMs,
  traceWindowMs,
} from '../../../domain/error-links.ts'
import type { Store } from '../database/store.ts'
import type { Tables } from '../database/tables.ts'
import type { ErrorLinkStore } from './error-links.ts'
import {
  digestKeyOf,
  type ErrorEndRow,
  foreverMs,
  groupsMax,
  lookUps,
  momentOf,
  nearbyMax,
  type Scope,
  waitingMax,
} from './find-error-ends.ts'

/**
 * Maximum ends that one transaction loads to find and evaluate affected browser events. It takes some hundred
 * milliseconds at most, which block other writes. The rest stays open.
 */
const loadedMax = 1000

/** Statements that write links, prepared once. */
function changes({ write, dialect: { builder } }: Store) {
  type Event = { projectId: number; eventId: string }
  return {
    issue: write.prepared<{ projectId: number; hash: string }, { issue_id: number }>((slot) =>
      builder
        .selectFrom('fingerprint')
        .select('issue_id')
        .where('project_id', '=', slot('projectId'))
        .where('hash', '=', slot('hash')),
    ),
    // Does not set `alone`, which would write its index without need.
    closeEnd: write.prepared<{ id: number }, unknown>((slot) =>
      builder.updateTable('failure_side').set({ open: 0 }).where('id', '=', slot('id')),
    ),
    setUnlinked: write.prepared<{ id: number; alone: string; open: number }, unknown>((slot) =>
      builder
        .updateTable('failure_side')
        .set({ open: slot('open'), alone: slot('alone') })
        .where('id', '=', slot('id')),
    ),
    link: write.prepared<Event, Selectable<Tables['failure_link']>>((slot) =>
      builder
        .selectFrom('failure_link')
        .selectAll()
        .where('browser_project_id', '=', slot('projectId'))
        .where('browser_event_id', '=', slot('eventId')),
    ),
    unlink: write.prepared<Event, unknown>((slot) =>
      builder
        .deleteFrom('failure_link')
        .where('browser_project_id', '=', slot('projectId'))
        .where('browser_event_id', '=', slot('eventId')),
    ),
    putLink: write.prepared<Selectable<Tables['failure_link']>, unknown>((slot) =>
      builder.insertInto('failure_link').values({
        organization_id: slot('organization_id'),
        browser_project_id: slot('browser_project_id'),
        browser_event_id: slot('browser_event_id'),
        browser_hash: slot('browser_hash'),
        user_hash: slot('user_hash'),
        browser_ms: slot('browser_ms'),
        server_project_id: slot('server_project_id'),
        server_event_id: slot('server_event_id'),
        server_hash: slot('server_hash'),
        server_ms: slot('server_ms'),
        reason: slot('reason'),
        made_ms: slot('made_ms'),
      }),
    ),
  }
}

const statementsOf = (store: Store) => ({ ...lookUps(store), ...changes(store) })

type Group = { projectId: number; hash: string }

/** The state of one transaction. */
type LinkRun = {
  statements: ReturnType<typeof statementsOf>
  nowMs: number
  /** Issues by `${projectId}:${hash}`. */
  issues: Map<string, number | undefined>
  /** Lookup results by key, because ends that arrive together mostly need the same lookups. */
  cache: Map<string, ErrorEndRow[]>
  groups: Map<string, Group[]>
  ends: Map<number, ErrorEnd>
  rows: Map<ErrorEnd, ErrorEndRow>
  loaded: number
  /** Ends processed in this run. Other ends stay open, because the ends that they affect are not known yet. */
  visited: Set<number>
  /** Truncated lists by the server end that loaded them. That end has to run again. */
  truncated: Map<number, ErrorEndRow[][]>
  /** Ends whose reason for being unlinked changed in this run. */
  reasonChanged: Set<number>
  linked: number
  changed: Set<number>
}

async function issueOf({ issues, statements }: LinkRun, projectId: number, hash: string): Promise<number | undefined> {
  const key = `${projectId}:${hash}`
  if (!issues.has(key)) issues.set(key, (await statements.issue.get({ projectId, hash }))?.issue_id)
  return issues.get(key)
}

const groupOf = async (run: LinkRun, projectId: number, hash: string) =>
  `${(await issueOf(run, projectId, hash)) ?? `${projectId}:${hash}`}`

async function endOf(run: LinkRun, row: ErrorEndRow): Promise<ErrorEnd> {
  const cached = run.ends.get(row.id)
  if (cached) return cached
  const end: ErrorEnd = {
    side: row.side as ErrorEnd['side'],
    digest: row.digest,
    sure: row.sure === 1,
    hints: row.hints,
    projectId: row.project_id,
    eventId: row.event_id,
    traceId: row.trace_id,
    route: row.route,
    userHash: row.user_hash,
    receivedMs: row.received_ms,
    group: await groupOf(run, row.project_id, row.hash),
  }
  run.ends.set(row.id, end)
  run.rows.set(end, row)
  return end
}

async function loadOnce(run: LinkRun, key: string, load: () => Promise<ErrorEndRow[]>): Promise<ErrorEndRow[]> {
  const cached = run.cache.get(key)
  if (cached) return cached
  const found = await load()
  run.loaded += found.length
  run.cache.set(key, found)
  return found
}

/** The time window of an end, plus one window before and after; `decide` selects the ends that are near enough. */
function timeWindow({ received_ms: ms }: ErrorEndRow, lengthMs: number) {
  const number = Math.floor(ms / lengthMs)
  return { number, fromMs: (number - 1) * lengthMs, toMs: (number + 2) * lengthMs }
}

/** All ends in the trace of an end. */
async function traceOf(run: LinkRun, row: ErrorEndRow): Promise<ErrorEndRow[]> {
  if (row.trace_id === '') return []
  const { number, ...times } = timeWindow(row, traceWindowMs)
  const query = { organization: row.organization_id, traceId: row.trace_id, ...times }
  // Query each side separately: a crowd of one side would cut off the other, and hide a second failure.
  return loadOnce(run, `trace ${query.organization} ${row.trace_id} ${number}`, async () =>
    (await Array.fromAsync(['server', 'browser'], async (side) => run.statements.trace.all({ ...query, side }))).flat(),
  )
}

/** Browser events of the same person on the same page at about the same time. */
async function ofPerson(run: LinkRun, row: ErrorEndRow): Promise<ErrorEndRow[]> {
  if (row.route === '') return []
  const { number, ...times } = timeWindow(row, routeWindowMs)
  const query = { organization: row.organization_id, userHash: row.user_hash, route: row.route, ...times }
  const key = `person ${query.organization} ${row.user_hash} ${number} ${row.route}`
  return loadOnce(run, key, () => run.statements.person.all(query))
}

/**
 * Groups of server events with the digest of an end. They are read by name, not by time, so that a sender of many
 * events cannot hide the others.
 */
async function groupsOf(run: LinkRun, scope: Scope, row: ErrorEndRow): Promise<Group[]> {
  const key = `${scope} ${row.organization_id} ${row.digest} ${scope === 'page' ? row.route : ''}`
  const cached = run.groups.get(key)
  if (cached) return cached
  const found: Group[] = []
  let last: Group = { projectId: 0, hash: '' }
  while (found.length < groupsMax) {
    const next = await run.statements.servers[scope].nextGroup.get({ ...digestKeyOf(row), ...last })
    if (!next) break
    last = { projectId: next.project_id, hash: next.hash }
    found.push(last)
    // A second issue makes a sure digest ambiguous, and a third one changes nothing.
    if (scope === 'sure' && (await issuesOf(run, found)) > 1) break
  }
  run.groups.set(key, found)
  return found
}

const issuesOf = async (run: LinkRun, groups: readonly Group[]) =>
  new Set(await Array.fromAsync(groups, async (group) => groupOf(run, group.projectId, group.hash))).size

type Times = { fromMs: number; beforeMs: number; afterMs: number; toMs: number }

/** For each group with the digest: the last server event up to `beforeMs` and the first from `afterMs`. */
async function nearest(run: LinkRun, scope: Scope, row: ErrorEndRow, { fromMs, beforeMs, afterMs, toMs }: Times) {
  const { before, after } = run.statements.servers[scope]
  const query = (await groupsOf(run, scope, row)).map((group) => ({ ...digestKeyOf(row), ...group }))
  return {
    before: (
      await Array.fromAsync(query, async (item) => (await before.get({ ...item, fromMs, toMs: beforeMs })) ?? [])
    ).flat(),
    after: (
      await Array.fromAsync(query, async (item) => (await after.get({ ...item, fromMs: afterMs, toMs })) ?? [])
    ).flat(),
  }
}

/** Candidate server events for a browser event's digest. `crowded`: there are too many groups to compare all. */
async function serversOf(run: LinkRun, row: ErrorEndRow): Promise<{ servers: ErrorEndRow[]; crowded: boolean }> {
  const none = { servers: [], crowded: false }
  if (row.digest === '') return none
  const at = { beforeMs: row.received_ms, afterMs: row.received_ms + 1 }
  if (row.sure === 1) {
    const { before, after } = await nearest(run, 'sure', row, { ...at, fromMs: 0, toMs: foreverMs })
    if (before.length + after.length > 0) return { servers: [...before, ...after], crowded: false }
  }
  if (row.route === '') return none
  const { before, after } = await nearest(run, 'page', row, { ...at, ...momentOf(row) })
  return { servers: [...before, ...after], crowded: (await groupsOf(run, 'page', row)).length >= groupsMax }
}

type ClientQuery = { sure: number; alone: string; max: number; fromMs: number; toMs: number }

/** Browser events with the digest of a server end. If the list is truncated, the end runs again for the rest. */
async function browsersOf(
  run: LinkRun,
  scope: Scope,
  row: ErrorEndRow,
  { sure, alone, max, fromMs, toMs }: ClientQuery,
): Promise<ErrorEndRow[]> {
  const page = scope === 'page' ? ` ${sure} ${row.route}` : ''
  const key = `browsers ${row.organization_id} ${row.digest} ${alone} ${fromMs} ${toMs}${page}`
  return loadOnce(run, key, async () => {
    const found = await run.statements.browsers[scope].all({ ...digestKeyOf(row), sure, alone, max, fromMs, toMs })
    if (found.length === max && max === waitingMax)
      run.truncated.set(row.id, [...(run.truncated.get(row.id) ?? []), found])
    return found
  })
}

/** Browser events whose link can change because of a server event with a sure digest. */
async function clientsOfDigest(run: LinkRun, row: ErrorEndRow): Promise<ErrorEndRow[][]> {
  if (row.sure !== 1) return []
  const all = { sure: 1, max: waitingMax, fromMs: 0, toMs: foreverMs }
  const waiting = await browsersOf(run, 'sure', row, { ...all, alone: 'none' })
  // A second issue with the digest makes all its links ambiguous.
  if ((await issuesOf(run, await groupsOf(run, 'sure', row))) > 1)
    return [waiting, await browsersOf(run, 'sure', row, { ...all, alone: '' })]
  const doubtful = await browsersOf(run, 'sure', row, { ...all, alone: 'several' })
  const ms = row.received_ms
  const { before, after } = await nearest(run, 'sure', row, {
    fromMs: 0,
    beforeMs: ms - 1,
    afterMs: ms + 1,
    toMs: foreverMs,
  })
  // Include linked ones only where this event is now the nearest: up to half-way to its neighbours in time.
  const lastMs = Math.max(0, ...before.map((item) => (item.received_ms + ms) / 2))
  const nextMs = Math.min(foreverMs, ...after.map((item) => (item.received_ms + ms) / 2))
  const nearer = { sure: 1, max: waitingMax, fromMs: Math.floor(lastMs), toMs: Math.ceil(nextMs), alone: '' }
  return [waiting, doubtful, await browsersOf(run, 'sure', row, nearer)]
}

/** Browser events with the digest of a server event, on its page and in its time window, whose link it can change. */
async function clientsOfPage(run: LinkRun, row: ErrorEndRow): Promise<ErrorEndRow[][]> {
  if (row.route === '') return []
  const at = momentOf(row)
  const hasSure = row.sure === 1 || (await groupsOf(run, 'sure', row)).length > 0
  return (
    await Array.fromAsync(hasSure ? [0] : [0, 1], async (sure) => [
      await browsersOf(run, 'page', row, { ...at, sure, max: waitingMax, alone: 'none' }),
      ...(await Array.fromAsync(['several', ''], async (alone) =>
        browsersOf(run, 'page', row, { ...at, sure, max: nearbyMax, alone }),
      )),
    ])
  ).flat()
}

/** Browser events whose link can change because of an end. */
async function affectedClients(run: LinkRun, row: ErrorEndRow): Promise<ErrorEndRow[][]> {
  if (row.side === 'browser') {
    // Another browser event can make existing links ambiguous, but it adds no link to unlinked ones.
    const linked = [...(await traceOf(run, row)), ...(await ofPerson(run, row))].filter((item) => item.alone === '')
    return [[row, ...linked]]
  }
  if (row.digest === '') return [await traceOf(run, row)]
  return [await traceOf(run, row), ...(await clientsOfDigest(run, row)), ...(await clientsOfPage(run, row))]
}

async function applyDecision(run: LinkRun, row: ErrorEndRow, decision: Decision): Promise<void> {
  const { statements, nowMs } = run
  const event = { projectId: row.project_id, eventId: row.event_id }
  // Always look it up: the end can have been rewritten since.
  const before = await statements.link.get(event)
  const server = 'server' in decision ? run.rows.get(decision.server) : undefined
  const reason: JoinReason | '' = 'server' in decision ? decision.reason : ''
  const alone = 'alone' in decision ? decision.alone : ''
  const open = run.visited.has(row.id) ? 0 : row.open
  if (alone !== row.alone) {
    await statements.setUnlinked.run({ id: row.id, alone, open })
    run.reasonChanged.add(row.id)
  } else if (open !== row.open) await statements.closeEnd.run({ id: row.id })
  const isSame = before?.server_project_id === server?.project_id && before?.server_event_id === server?.event_id
  if (isSame && (before?.reason ?? '') === reason) return
  const markChanged = async (projectId: number, hash: string) => {
    const id = await issueOf(run, projectId, hash)
    if (id !== undefined) run.changed.add(id)
  }
  if (before) {
    await statements.unlink.run(event)
    await markChanged(before.server_project_id, before.server_hash)
  }
  await markChanged(row.project_id, row.hash)
  if (!server) return
  await statements.putLink.run({
    organization_id: row.organization_id,
    browser_project_id: row.project_id,
    browser_event_id: row.event_id,
    browser_hash: row.hash,
    user_hash: row.user_hash,
    browser_ms: row.received_ms,
    server_project_id: server.project_id,
    server_event_id: server.event_id,
    server_hash: server.hash,
    server_ms: server.received_ms,
    reason,
    made_ms: nowMs,
  })
  run.linked++
  await markChanged(server.project_id, server.hash)
}

async function decideEnd(run: LinkRun, row: ErrorEndRow): Promise<void> {
  const toEnds = async (rows: readonly ErrorEndRow[]) => await Array.fromAsync(rows, async (item) => endOf(run, item))
  const end = await endOf(run, row)
  const { servers, crowded } = await serversOf(run, row)
  const context: LinkCandidates = {
    ofDigest: await toEnds(servers),
    ofTrace: await toEnds(await traceOf(run, row)),
    crowded,
    ofRoute: row.sure === 1 ? [] : await toEnds(await ofPerson(run, row)),
  }
  await applyDecision(run, row, decide(end, context))
}

/** Runs some work. Returns the error of a failed end, and throws errors that must stop the whole run. */
type Attempt = (work: () => Promise<void>) => Promise<string | undefined>

const runPlain: Attempt = async (work) => {
  await work()
  return undefined
}

/** Rolls back the failed end only and continues with the others. */
const runInSavepoint =
  ({ write }: Store): Attempt =>
  async (work) => {
    await write.script('savepoint one_side')
    try {
      await work()
      return undefined
    } catch (error) {
      // This throws when the disk is full: then the whole transaction is rolled back, and no end is set aside.
      await write.script('rollback to one_side')
      return String(error)
    } finally {
      await write.script('release one_side')
    }
  }

/** Processes open ends in one transaction. Ends that it does not reach stay open. */
async function linkOpenEnds(run: LinkRun, openEnds: readonly ErrorEndRow[], attempt: Attempt) {
  const { closeEnd } = run.statements
  const touched = new Map<number, ErrorEndRow>()
  const seen = new Set<ErrorEndRow[]>()
  const visited: ErrorEndRow[] = []
  const errors: string[] = []
  for (const row of openEnds) {
    if (run.loaded >= loadedMax) break
    visited.push(row)
    run.visited.add(row.id)
    const error = await attempt(async () => {
      for (const list of await affectedClients(run, row)) {
        if (seen.has(list)) continue
        seen.add(list)
        for (const item of list) if (item.side === 'browser') touched.set(item.id, item)
      }
    })
    if (error !== undefined) errors.push(error)
  }
  for (const row of touched.values()) {
    const error = await attempt(() => decideEnd(run, row))
    if (error === undefined) continue
    errors.push(error)
    if (run.visited.has(row.id)) await closeEnd.run({ id: row.id })
  }
  for (const row of visited) {
    // Repeat only while there is progress, else undecidable ends would run forever.
    const isLeft = run.truncated.get(row.id)?.some((list) => list.some((item) => run.reasonChanged.has(item.id)))
    if (!isLeft && (row.side === 'server' || !touched.has(row.id))) await closeEnd.run({ id: row.id })
  }
  const [error] = errors
  const failed = { aside: errors.length, ...(error === undefined ? {} : { fault: error }) }
  return { looked: visited.length, decided: touched.size, linked: run.linked, ...failed, issueIds: [...run.changed] }
}

/** Implements the linking of open ends. The result depends only on the stored ends, so the work can be repeated. */
export function errorLinkPart(store: Store): Pick<ErrorLinkStore, 'linkErrors'> {
  const { write } = store
  const { builder } = store.dialect
  const statements = statementsOf(store)
  const open = write.prepared<{ max: number }, ErrorEndRow>((slot) =>
    builder
      .selectFrom('failure_side')
      .selectAll()
      // A literal, because SQLite would not use the index of open ends for a parameter.
      .where('open', '=', sql.lit(1))
      .orderBy('id')
      .limit(slot('max')),
  )
  const join = async (max: number, nowMs: number, attempt: Attempt) => {
    const run: LinkRun = {
      statements,
      nowMs,
      issues: new Map(),
      cache: new Map(),
      groups: new Map(),
      ends: new Map(),
      rows: new Map(),
      loaded: 0,
      visited: new Set(),
      truncated: new Map(),
      reasonChanged: new Set(),
      linked: 0,
      changed: new Set(),
    }
    const found = await linkOpenEnds(run, await open.all({ max }), attempt)
    return { ...found, more: (await open.get({ max: 1 })) !== undefined }
  }
  return {
    linkErrors: async (max, nowMs) => {
      // Nearly all calls find no open end, so they take no write lock.
      if (!(await open.get({ max: 1 })))
        return { looked: 0, decided: 0, linked: 0, aside: 0, issueIds: [], more: false }
      try {
        return await write.transaction(() => join(max, nowMs, runPlain))
      } catch {
        // Retry with each end isolated: one failing end must not block all others in this run and every later run.
        return await write.transaction(() => join(max, nowMs, runInSavepoint(store)))
      }
    },
  }
}
