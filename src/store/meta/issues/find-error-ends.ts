import { type Selectable, sql } from 'kysely'
import { routeWindowMs } from '../../../domain/error-links.ts'
import type { Store } from '../database/store.ts'
import type { Tables } from '../database/tables.ts'

/** A stored error end. */
export type ErrorEndRow = Selectable<Tables['failure_side']>

/** Maximum compared ends of one trace, or of one person on a page: real page loads have fewer. */
export const nearbyMax = 50
/** Maximum browser events of one kind loaded for a server event. The next run loads the rest. */
export const waitingMax = 500
/** Maximum compared groups of server events with one digest. A merged issue with more groups needs no more evidence. */
export const groupsMax = 20

export const foreverMs = Number.MAX_SAFE_INTEGER

/** Which server ends a digest is searched in: all with a sure digest, or those of a page within a time window. */
export type Scope = 'sure' | 'page'

type OfDigest = { organization: number; digest: string; route: string }
type OfGroup = OfDigest & { projectId: number; hash: string }
type Times = { fromMs: number; toMs: number }
type OfUnlinked = OfDigest & Times & { sure: number; alone: string; max: number }

/** These values are literals in the statement: SQLite does not use a partial index for a bound parameter. */
const [isServer, isBrowser, isSure, unnamed] = [sql.lit('server'), sql.lit('browser'), sql.lit(1), sql.lit('')] as const

function serverLookUps({ write, dialect: { builder } }: Store, scope: Scope) {
  type Slots = <K extends keyof OfDigest>(name: K) => OfDigest[K]
  const servers = (slot: Slots) => {
    const all = builder
      .selectFrom('failure_side')
      .where('organization_id', '=', slot('organization'))
      .where('digest', '=', slot('digest'))
      .where('side', '=', isServer)
    if (scope === 'sure') return all.where('sure', '=', isSure)
    return all.where('digest', '<>', unnamed).where('route', '=', slot('route'))
  }
  const nearest = (direction: 'asc' | 'desc') =>
    write.prepared<OfGroup & Times, ErrorEndRow>((slot) =>
      builder
        .selectFrom('failure_side')
        .selectAll()
        // Select the id first, which this index covers. Else SQLite takes the index by age and scans it.
        .where(
          'id',
          '=',
          servers(slot)
            .select('id')
            .where('project_id', '=', slot('projectId'))
            .where('hash', '=', slot('hash'))
            .where('received_ms', '>=', slot('fromMs'))
            .where('received_ms', '<=', slot('toMs'))
            .orderBy('received_ms', direction)
            // Of two with the same time, always the same end, whatever their order of insertion.
            .orderBy('event_id')
            .limit(1),
        ),
    )
  return {
    /** The next group. The query jumps to it, so that many ends of one group do not hide the others. */
    nextGroup: write.prepared<OfGroup, { project_id: number; hash: string }>((slot) =>
      servers(slot)
        .select(['project_id', 'hash'])
        .where(({ eb, refTuple, tuple }) =>
          eb(refTuple('project_id', 'hash'), '>', tuple(slot('projectId'), slot('hash'))),
        )
        .orderBy('project_id')
        .orderBy('hash')
        .limit(1),
    ),
    before: nearest('desc'),
    after: nearest('asc'),
  }
}

/** Lookups of error ends, prepared once. */
export function lookUps(store: Store) {
  const { write } = store
  const { builder } = store.dialect
  type OfTrace = Times & { organization: number; traceId: string; side: string }
  type OfPerson = Times & { organization: number; userHash: string; route: string }
  const browsers = (scope: Scope) =>
    write.prepared<OfUnlinked, ErrorEndRow>((slot) => {
      const all = builder
        .selectFrom('failure_side')
        .selectAll()
        .where('organization_id', '=', slot('organization'))
        .where('digest', '=', slot('digest'))
        .where('side', '=', isBrowser)
      const matching =
        scope === 'sure'
          ? all.where('sure', '=', isSure)
          : all.where('digest', '<>', unnamed).where('route', '=', slot('route')).where('sure', '=', slot('sure'))
      return matching
        .where('alone', '=', slot('alone'))
        .where('received_ms', '>=', slot('fromMs'))
        .where('received_ms', '<=', slot('toMs'))
        .orderBy('received_ms', 'desc')
        .limit(slot('max'))
    })
  return {
    servers: { sure: serverLookUps(store, 'sure'), page: serverLookUps(store, 'page') },
    browsers: { sure: browsers('sure'), page: browsers('page') },
    trace: write.prepared<OfTrace, ErrorEndRow>((slot) =>
      builder
        .selectFrom('failure_side')
        .selectAll()
        .where('organization_id', '=', slot('organization'))
        .where('trace_id', '=', slot('traceId'))
        .where('side', '=', slot('side'))
        .where('received_ms', '>=', slot('fromMs'))
        .where('received_ms', '<=', slot('toMs'))
        .orderBy('received_ms')
        .orderBy('event_id')
        .limit(nearbyMax),
    ),
    person: write.prepared<OfPerson, ErrorEndRow>((slot) =>
      builder
        .selectFrom('failure_side')
        .selectAll()
        .where('organization_id', '=', slot('organization'))
        .where('user_hash', '=', slot('userHash'))
        .where('route', '=', slot('route'))
        .where('received_ms', '>=', slot('fromMs'))
        .where('received_ms', '<=', slot('toMs'))
        .where('side', '=', 'browser')
        .limit(nearbyMax),
    ),
  }
}

export const digestKeyOf = (row: ErrorEndRow): OfDigest => ({
  organization: row.organization_id,
  digest: row.digest,
  route: row.route,
})

/** The half minute before and after an end. */
export const momentOf = ({ received_ms: ms }: ErrorEndRow): Times => ({
  fromMs: ms - routeWindowMs,
  toMs: ms + routeWindowMs,
})
