import { type Selectable, sql } from 'kysely'
import {
  type Around,
  type Decision,
  decide,
  type JoinReason,
  routeWindowMs,
  type Side,
  traceWindowMs,
} from '../../../domain/error-links.ts'
import type { Store } from '../database/store.ts'
import type { Tables } from '../database/tables.ts'
import type { FailureStore } from './error-links.ts'
import {
  aroundMax,
  askedOf,
  foreverMs,
  groupsMax,
  lookUps,
  momentOf,
  type Scope,
  type SideRow,
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
    issue: write.hot<{ projectId: number; hash: string }, { issue_id: number }>((slot) =>
      builder
        .selectFrom('fingerprint')
        .select('issue_id')
        .where('project_id', '=', slot('projectId'))
        .where('hash', '=', slot('hash')),
    ),
    // Does not set `alone`, which would write its index without need.
    looked: write.hot<{ id: number }, unknown>((slot) =>
      builder.updateTable('failure_side').set({ open: 0 }).where('id', '=', slot('id')),
    ),
    setAlone: write.hot<{ id: number; alone: string; open: number }, unknown>((slot) =>
      builder
        .updateTable('failure_side')
        .set({ open: slot('open'), alone: slot('alone') })
        .where('id', '=', slot('id')),
    ),
    link: write.hot<Event, Selectable<Tables['failure_link']>>((slot) =>
      builder
        .selectFrom('failure_link')
        .selectAll()
        .where('browser_project_id', '=', slot('projectId'))
        .where('browser_event_id', '=', slot('eventId')),
    ),
    unlink: write.hot<Event, unknown>((slot) =>
      builder
        .deleteFrom('failure_link')
        .where('browser_project_id', '=', slot('projectId'))
        .where('browser_event_id', '=', slot('eventId')),
    ),
    putLink: write.hot<Selectable<Tables['failure_link']>, unknown>((slot) =>
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
type Room = {
  statements: ReturnType<typeof statementsOf>
  nowMs: number
  /** Issues by `${projectId}:${hash}`. */
  issues: Map<string, number | undefined>
  /** Lookup results by key, because ends that arrive together mostly need the same lookups. */
  known: Map<string, SideRow[]>
  groups: Map<string, Group[]>
  sides: Map<number, Side>
  rows: Map<Side, SideRow>
  loaded: number
  /** Ends processed in this run. Other ends stay open, because the ends that they affect are not known yet. */
  reached: Set<number>
  /** Truncated lists by the server end that loaded them. That end has to run again. */
  cut: Map<number, SideRow[][]>
  /** Ends whose reason for being unlinked changed in this run. */
  moved: Set<number>
  linked: number
  changed: Set<number>
}

function issueOf({ issues, statements }: Room, projectId: number, hash: string): number | undefined {
  const key = `${projectId}:${hash}`
  if (!issues.has(key)) issues.set(key, statements.issue.get({ projectId, hash })?.issue_id)
  return issues.get(key)
}

const groupOf = (room: Room, projectId: number, hash: string) =>
  `${issueOf(room, projectId, hash) ?? `${projectId}:${hash}`}`

function sideOf(room: Room, row: SideRow): Side {
  const known = room.sides.get(row.id)
  if (known) return known
  const side: Side = {
    side: row.side as Side['side'],
    digest: row.digest,
    sure: row.sure === 1,
    hints: row.hints,
    projectId: row.project_id,
    eventId: row.event_id,
    traceId: row.trace_id,
    route: row.route,
    userHash: row.user_hash,
    receivedMs: row.received_ms,
    group: groupOf(room, row.project_id, row.hash),
  }
  room.sides.set(row.id, side)
  room.rows.set(side, row)
  return side
}

function once(room: Room, key: string, load: () => SideRow[]): SideRow[] {
  const known = room.known.get(key)
  if (known) return known
  const found = load()
  room.loaded += found.length
  room.known.set(key, found)
  return found
}

/** The time window of an end, plus one window before and after; `decide` selects the ends that are near enough. */
function stretch({ received_ms: ms }: SideRow, lengthMs: number) {
  const number = Math.floor(ms / lengthMs)
  return { number, fromMs: (number - 1) * lengthMs, toMs: (number + 2) * lengthMs }
}

/** All ends in the trace of an end. */
function traceOf(room: Room, row: SideRow): SideRow[] {
  if (row.trace_id === '') return []
  const { number, ...times } = stretch(row, traceWindowMs)
  const asked = { organization: row.organization_id, traceId: row.trace_id, ...times }
  // Query each side separately: a crowd of one side would cut off the other, and hide a second failure.
  return once(room, `trace ${asked.organization} ${row.trace_id} ${number}`, () =>
    ['server', 'browser'].flatMap((side) => room.statements.trace.all({ ...asked, side })),
  )
}

/** Browser events of the same person on the same page at about the same time. */
function besides(room: Room, row: SideRow): SideRow[] {
  if (row.route === '') return []
  const { number, ...times } = stretch(row, routeWindowMs)
  const asked = { organization: row.organization_id, userHash: row.user_hash, route: row.route, ...times }
  const key = `person ${asked.organization} ${row.user_hash} ${number} ${row.route}`
  return once(room, key, () => room.statements.person.all(asked))
}

/**
 * Groups of server events with the digest of an end. They are read by name, not by time, so that a sender of many
 * events cannot hide the others.
 */
function groupsOf(room: Room, scope: Scope, row: SideRow): Group[] {
  const key = `${scope} ${row.organization_id} ${row.digest} ${scope === 'page' ? row.route : ''}`
  const known = room.groups.get(key)
  if (known) return known
  const found: Group[] = []
  let last: Group = { projectId: 0, hash: '' }
  while (found.length < groupsMax) {
    const next = room.statements.servers[scope].nextGroup.get({ ...askedOf(row), ...last })
    if (!next) break
    last = { projectId: next.project_id, hash: next.hash }
    found.push(last)
    // A second issue makes a sure digest ambiguous, and a third one changes nothing.
    if (scope === 'sure' && issuesOf(room, found) > 1) break
  }
  room.groups.set(key, found)
  return found
}

const issuesOf = (room: Room, groups: readonly Group[]) =>
  new Set(groups.map((group) => groupOf(room, group.projectId, group.hash))).size

type Times = { fromMs: number; beforeMs: number; afterMs: number; toMs: number }

/** For each group with the digest: the last server event up to `beforeMs` and the first from `afterMs`. */
function nearest(room: Room, scope: Scope, row: SideRow, { fromMs, beforeMs, afterMs, toMs }: Times) {
  const { before, after } = room.statements.servers[scope]
  const asked = groupsOf(room, scope, row).map((group) => ({ ...askedOf(row), ...group }))
  return {
    before: asked.flatMap((item) => before.get({ ...item, fromMs, toMs: beforeMs }) ?? []),
    after: asked.flatMap((item) => after.get({ ...item, fromMs: afterMs, toMs }) ?? []),
  }
}

/** Candidate server events for a browser event's digest. `crowded`: there are too many groups to compare all. */
function serversOf(room: Room, row: SideRow): { servers: SideRow[]; crowded: boolean } {
  const none = { servers: [], crowded: false }
  if (row.digest === '') return none
  const at = { beforeMs: row.received_ms, afterMs: row.received_ms + 1 }
  if (row.sure === 1) {
    const { before, after } = nearest(room, 'sure', row, { ...at, fromMs: 0, toMs: foreverMs })
    if (before.length + after.length > 0) return { servers: [...before, ...after], crowded: false }
  }
  if (row.route === '') return none
  const { before, after } = nearest(room, 'page', row, { ...at, ...momentOf(row) })
  return { servers: [...before, ...after], crowded: groupsOf(room, 'page', row).length >= groupsMax }
}

type Asked = { sure: number; alone: string; max: number; fromMs: number; toMs: number }

/** Browser events with the digest of a server end. If the list is truncated, the end runs again for the rest. */
function browsersOf(room: Room, scope: Scope, row: SideRow, { sure, alone, max, fromMs, toMs }: Asked): SideRow[] {
  const page = scope === 'page' ? ` ${sure} ${row.route}` : ''
  const key = `browsers ${row.organization_id} ${row.digest} ${alone} ${fromMs} ${toMs}${page}`
  return once(room, key, () => {
    const found = room.statements.browsers[scope].all({ ...askedOf(row), sure, alone, max, fromMs, toMs })
    if (found.length === max && max === waitingMax) room.cut.set(row.id, [...(room.cut.get(row.id) ?? []), found])
    return found
  })
}

/** Browser events whose link can change because of a server event with a sure digest. */
function ofSure(room: Room, row: SideRow): SideRow[][] {
  if (row.sure !== 1) return []
  const all = { sure: 1, max: waitingMax, fromMs: 0, toMs: foreverMs }
  const waiting = browsersOf(room, 'sure', row, { ...all, alone: 'none' })
  // A second issue with the digest makes all its links ambiguous.
  if (issuesOf(room, groupsOf(room, 'sure', row)) > 1)
    return [waiting, browsersOf(room, 'sure', row, { ...all, alone: '' })]
  const doubtful = browsersOf(room, 'sure', row, { ...all, alone: 'several' })
  const ms = row.received_ms
  const { before, after } = nearest(room, 'sure', row, {
    fromMs: 0,
    beforeMs: ms - 1,
    afterMs: ms + 1,
    toMs: foreverMs,
  })
  // Include linked ones only where this event is now the nearest: up to half-way to its neighbours in time.
  const lastMs = Math.max(0, ...before.map((item) => (item.received_ms + ms) / 2))
  const nextMs = Math.min(foreverMs, ...after.map((item) => (item.received_ms + ms) / 2))
  const nearer = { sure: 1, max: waitingMax, fromMs: Math.floor(lastMs), toMs: Math.ceil(nextMs), alone: '' }
  return [waiting, doubtful, browsersOf(room, 'sure', row, nearer)]
}

/** Browser events with the digest of a server event, on its page and in its time window, whose link it can change. */
function ofPage(room: Room, row: SideRow): SideRow[][] {
  if (row.route === '') return []
  const at = momentOf(row)
  const hasSure = row.sure === 1 || groupsOf(room, 'sure', row).length > 0
  return (hasSure ? [0] : [0, 1]).flatMap((sure) => [
    browsersOf(room, 'page', row, { ...at, sure, max: waitingMax, alone: 'none' }),
    ...['several', ''].map((alone) => browsersOf(room, 'page', row, { ...at, sure, max: aroundMax, alone })),
  ])
}

/** Browser events whose link can change because of an end. */
function askers(room: Room, row: SideRow): SideRow[][] {
  if (row.side === 'browser') {
    // Another browser event can make existing links ambiguous, but it adds no link to unlinked ones.
    const linked = [...traceOf(room, row), ...besides(room, row)].filter((item) => item.alone === '')
    return [[row, ...linked]]
  }
  if (row.digest === '') return [traceOf(room, row)]
  return [traceOf(room, row), ...ofSure(room, row), ...ofPage(room, row)]
}

function apply(room: Room, row: SideRow, decision: Decision): void {
  const { statements, nowMs } = room
  const event = { projectId: row.project_id, eventId: row.event_id }
  // Always look it up: the end can have been rewritten since.
  const before = statements.link.get(event)
  const server = 'server' in decision ? room.rows.get(decision.server) : undefined
  const reason: JoinReason | '' = 'server' in decision ? decision.reason : ''
  const alone = 'alone' in decision ? decision.alone : ''
  const open = room.reached.has(row.id) ? 0 : row.open
  if (alone !== row.alone) {
    statements.setAlone.run({ id: row.id, alone, open })
    room.moved.add(row.id)
  } else if (open !== row.open) statements.looked.run({ id: row.id })
  const isSame = before?.server_project_id === server?.project_id && before?.server_event_id === server?.event_id
  if (isSame && (before?.reason ?? '') === reason) return
  const note = (projectId: number, hash: string) => {
    const id = issueOf(room, projectId, hash)
    if (id !== undefined) room.changed.add(id)
  }
  if (before) {
    statements.unlink.run(event)
    note(before.server_project_id, before.server_hash)
  }
  note(row.project_id, row.hash)
  if (!server) return
  statements.putLink.run({
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
  room.linked++
  note(server.project_id, server.hash)
}

function decideOne(room: Room, row: SideRow): void {
  const sides = (rows: readonly SideRow[]) => rows.map((item) => sideOf(room, item))
  const own = sideOf(room, row)
  const { servers, crowded } = serversOf(room, row)
  const around: Around = {
    ofDigest: sides(servers),
    ofTrace: sides(traceOf(room, row)),
    crowded,
    ofRoute: row.sure === 1 ? [] : sides(besides(room, row)),
  }
  apply(room, row, decide(own, around))
}

/** Runs some work. Returns the error of a failed end, and throws errors that must stop the whole run. */
type Doing = (work: () => void) => string | undefined

const plainly: Doing = (work) => void work()

/** Rolls back the failed end only and continues with the others. */
const carefully =
  ({ write }: Store): Doing =>
  (work) => {
    write.script('savepoint one_side')
    try {
      work()
      return undefined
    } catch (error) {
      // This throws when the disk is full: then the whole transaction is rolled back, and no end is set aside.
      write.script('rollback to one_side')
      return String(error)
    } finally {
      write.script('release one_side')
    }
  }

/** Processes open ends in one transaction. Ends that it does not reach stay open. */
function lookAt(room: Room, came: readonly SideRow[], doing: Doing) {
  const { looked } = room.statements
  const touched = new Map<number, SideRow>()
  const seen = new Set<SideRow[]>()
  const reached: SideRow[] = []
  const faults: string[] = []
  for (const row of came) {
    if (room.loaded >= loadedMax) break
    reached.push(row)
    room.reached.add(row.id)
    const fault = doing(() => {
      for (const list of askers(room, row)) {
        if (seen.has(list)) continue
        seen.add(list)
        for (const item of list) if (item.side === 'browser') touched.set(item.id, item)
      }
    })
    if (fault !== undefined) faults.push(fault)
  }
  for (const row of touched.values()) {
    const fault = doing(() => decideOne(room, row))
    if (fault === undefined) continue
    faults.push(fault)
    if (room.reached.has(row.id)) looked.run({ id: row.id })
  }
  for (const row of reached) {
    // Repeat only while there is progress, else undecidable ends would run forever.
    const isLeft = room.cut.get(row.id)?.some((list) => list.some((item) => room.moved.has(item.id)))
    if (!isLeft && (row.side === 'server' || !touched.has(row.id))) looked.run({ id: row.id })
  }
  const [fault] = faults
  const aside = { aside: faults.length, ...(fault === undefined ? {} : { fault }) }
  return { looked: reached.length, decided: touched.size, linked: room.linked, ...aside, issueIds: [...room.changed] }
}

/** Implements the linking of open ends. The result depends only on the stored ends, so the work can be repeated. */
export function failureJoinPart(store: Store): Pick<FailureStore, 'joinFailures'> {
  const { write } = store
  const { builder } = store.dialect
  const statements = statementsOf(store)
  const open = write.hot<{ max: number }, SideRow>((slot) =>
    builder
      .selectFrom('failure_side')
      .selectAll()
      // A literal, because SQLite would not use the index of open ends for a parameter.
      .where('open', '=', sql.lit(1))
      .orderBy('id')
      .limit(slot('max')),
  )
  const join = (max: number, nowMs: number, doing: Doing) => {
    const room: Room = {
      statements,
      nowMs,
      issues: new Map(),
      known: new Map(),
      groups: new Map(),
      sides: new Map(),
      rows: new Map(),
      loaded: 0,
      reached: new Set(),
      cut: new Map(),
      moved: new Set(),
      linked: 0,
      changed: new Set(),
    }
    const found = lookAt(room, open.all({ max }), doing)
    return { ...found, more: open.get({ max: 1 }) !== undefined }
  }
  return {
    joinFailures: (max, nowMs) => {
      // Nearly all calls find no open end, so they take no write lock.
      if (!open.get({ max: 1 })) return { looked: 0, decided: 0, linked: 0, aside: 0, issueIds: [], more: false }
      try {
        return write.transaction(() => join(max, nowMs, plainly))
      } catch {
        // Retry with each end isolated: one failing end must not block all others in this run and every later one.
        return write.transaction(() => join(max, nowMs, carefully(store)))
      }
    },
  }
}
