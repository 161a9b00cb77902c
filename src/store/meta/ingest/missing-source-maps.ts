import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Connection } from '../database/connection.ts'
import type { Builder } from '../database/dialect.ts'
import { idColumn, rowInsert, rowStatement } from '../database/row-statement.ts'
import type { RowOf } from '../database/rows.ts'
import type { Store } from '../database/store.ts'
import type { EventEffect } from '../meta.ts'

/**
 * Missing source maps are stored by group, not by event: events of the group from a position on can miss the file.
 * Names: `d:` and a debug id; `r:`, a release, a line break and a dist; `l` for a source map that arrived too late.
 */
export const debugName = (debugId: string): string => `d:${debugId}`
export const releaseName = (release: string, dist: string): string => `r:${release}\n${dist}`
export const lateMapName = 'l'

/** A group with the names of its missing source maps. */
export type MissingMapGroup = { groupHash: string; names: string[]; fromJpos: number }

export type MissingMapStore = {
  /** New bundles since the last check, by project. */
  arrivals(): Promise<{ projectId: number; bundleIds: number[] }[]>
  /** Deletes arrivals from before `beforeMs`. A bundle can arrive again for another release. */
  dropArrivals(projectId: number, bundleIds: readonly number[], beforeMs: number): Promise<void>
  /** Groups that miss a file in these bundles or in their releases. */
  missingMapsInBundles(projectId: number, bundleIds: readonly number[]): Promise<MissingMapGroup[]>
  /** Projects whose source maps arrived too late for events, noted before `beforeMs`. */
  lateProjects(beforeMs: number): Promise<number[]>
  /** Groups that miss these names; all groups without `names`. */
  missingMapsOf(projectId: number, names?: readonly string[]): Promise<MissingMapGroup[]>
  /** Deletes the notes of groups, except the `stillMissing` ones (`name hash`) and those used after `beforeMs`. */
  clearMissingMaps(ended: {
    projectId: number
    groups: readonly Pick<MissingMapGroup, 'groupHash' | 'names'>[]
    stillMissing: ReadonlySet<string>
    beforeMs: number
  }): Promise<void>
  /** Deletes notes last used before `beforeMs`. Returns their number. */
  pruneMissingMaps(beforeMs: number): Promise<number>
  /** Number of notes of a project, and of notes refused because the limit was reached. */
  missingMapCounts(projectId: number): Promise<{ quantity: number; refused: number; refusedMs: number | null }>
}

/**
 * Maximum notes per project: some MB. Made-up debug ids can fill it. Then notes unused for a day are evicted; without
 * any, new ones are refused. Both are reported. Evicting just the oldest would let a flood push out all others.
 */
export const missingMapsMax = 50_000
const evictedMax = 1000
/** How often a full project is checked for notes to evict. */
const fullMs = 60_000
const cachedMax = 50_000
const dayMs = 86_400_000
/** Maximum values per statement. */
const chunk = 400

/** Notes that a project has a new bundle. The caller opens the transaction. */
export async function recordArrival(
  write: Connection,
  builder: Builder,
  projectId: number,
  bundleId: number,
  nowMs: number,
): Promise<void> {
  const row = { project_id: projectId, bundle_id: bundleId, created_ms: nowMs }
  const insert = builder.insertInto('arrival').values(row)
  await write.run(
    insert.onConflict((conflict) => conflict.columns(['project_id', 'bundle_id']).doUpdateSet({ created_ms: nowMs })),
  )
}

/** The writer of missing source maps, with a cache of written notes. */
export type MissingMapWriter = {
  /**
   * Writes the notes of events in the caller's transaction. Call the result after the commit: it caches these notes. A
   * transaction that is rolled back or runs again must not change the cache.
   */
  record(effects: readonly EventEffect[], nowMs: number): Promise<() => void>
  /** Clears the cache, because written notes can have been deleted. */
  clearCache(): void
}

const noteColumns = {
  project_id: 'integer',
  name: 'text',
  hash: 'text',
  from_jpos: 'integer',
  last_ms: 'integer',
} as const
type Note = RowOf<typeof noteColumns>

/** Statements for the counters of a project's notes and refusals. */
function countStatements(store: Store) {
  const { builder } = store.dialect
  const sums = rowStatement(store, idColumn, (input) =>
    builder
      .selectFrom(input)
      .innerJoin('missed_sum', 'missed_sum.project_id', 'input.id')
      .select(['missed_sum.project_id', 'missed_sum.quantity']),
  )
  const add = rowInsert(
    store,
    'missed_sum',
    { project_id: 'integer', quantity: 'integer', refused: 'integer', refused_ms: 'integer?' },
    (insert) =>
      insert.onConflict((conflict) =>
        conflict.column('project_id').doUpdateSet((build) => ({
          quantity: build('missed_sum.quantity', '+', build.ref('excluded.quantity')),
          refused: build('missed_sum.refused', '+', build.ref('excluded.refused')),
          refused_ms: build.fn.coalesce('excluded.refused_ms', 'missed_sum.refused_ms'),
        })),
      ),
  )
  return { sums, add }
}

/** Evicts old notes of a full project. Returns their number. */
async function evictNotes({ write, dialect: { builder } }: Store, projectId: number, nowMs: number): Promise<number> {
  const expired = builder
    .selectFrom('missed')
    .select(['name', 'hash'])
    .where('project_id', '=', projectId)
    .where('last_ms', '<', nowMs - dayMs)
    .orderBy('last_ms')
    .limit(evictedMax)
    .$asTuple('name', 'hash')
  const { changes } = await write.run(
    builder
      .deleteFrom('missed')
      .where('project_id', '=', projectId)
      .where(({ eb, refTuple }) => eb(refTuple('name', 'hash'), 'in', expired)),
  )
  return changes
}

/** Statements that update the time of notes, and that insert new notes. */
function noteStatements(store: Store) {
  const { builder } = store.dialect
  const touch = rowStatement(store, noteColumns, (input) =>
    builder
      .updateTable('missed')
      .from(input)
      .set((build) => ({ last_ms: build.ref('input.last_ms') }))
      .whereRef('missed.project_id', '=', 'input.project_id')
      .whereRef('missed.name', '=', 'input.name')
      .whereRef('missed.hash', '=', 'input.hash')
      .returning(['missed.project_id', 'missed.name', 'missed.hash']),
  )
  return { touch, insert: rowInsert(store, 'missed', noteColumns) }
}

const keyOf = (row: Pick<Note, 'project_id' | 'name' | 'hash'>) => `${row.project_id} ${row.hash} ${row.name}`

/** Returns the notes of events by key, without those that are cached. The first event of a group decides its position. */
function notesOf(
  effects: readonly EventEffect[],
  nowMs: number,
  isCached: (key: string) => boolean,
): Map<string, Note> {
  const notes = new Map<string, Note>()
  for (const { projectId, hashes, misses = [], jpos } of effects) {
    const [hash] = hashes
    if (hash === undefined) continue
    for (const name of misses) {
      const note = { project_id: projectId, name: name.toWellFormed(), hash, from_jpos: jpos, last_ms: nowMs }
      const key = keyOf(note)
      if (!isCached(key) && !notes.has(key)) notes.set(key, note)
    }
  }
  return notes
}

/** Creates the writer. Most events miss the same files as the previous event, so written notes are cached for a day. */
export function missingMapWriter(store: Store): MissingMapWriter {
  const { sums, add } = countStatements(store)
  const { touch, insert } = noteStatements(store)
  const cache = new LRUCache<string, true>({ max: cachedMax })
  /** Full projects without old notes, with the time of the last check. */
  const full = new LRUCache<number, number>({ max: 1000 })
  let clearings = 0

  /** Returns how many of `wanted` new notes a project can have. Evicts old notes if there is no space. */
  async function makeSpace(projectId: number, wanted: number, stored: number, nowMs: number) {
    const found = { space: Math.max(0, missingMapsMax - stored), evicted: 0, isFull: false }
    if (nowMs - (full.get(projectId) ?? Number.NEGATIVE_INFINITY) < fullMs) return found
    while (found.space < wanted && !found.isFull) {
      const evicted = await evictNotes(store, projectId, nowMs)
      found.evicted += evicted
      found.space += evicted
      found.isFull = evicted === 0
    }
    return found
  }

  /** Writes new notes as far as there is space. Returns the projects that turned out to be full. */
  async function writeNew(notes: readonly Note[], nowMs: number): Promise<number[]> {
    const groups = Map.groupBy(notes, (note) => note.project_id)
    const stored = await sums.all([...groups.keys()].map((id) => ({ id })))
    const quantities = new Map(stored.map((row) => [row.project_id, row.quantity]))
    const written: Note[] = []
    const changes: Parameters<typeof add.run>[0][number][] = []
    const fullProjects: number[] = []
    for (const [id, group] of groups) {
      const { space, evicted, isFull } = await makeSpace(id, group.length, quantities.get(id) ?? 0, nowMs)
      const fitting = group.slice(0, space)
      written.push(...fitting)
      const refused = evicted + group.length - fitting.length
      const quantity = fitting.length - evicted
      changes.push({ project_id: id, quantity, refused, refused_ms: refused > 0 ? nowMs : null })
      if (isFull) fullProjects.push(id)
    }
    await insert.run(written)
    await add.run(changes)
    return fullProjects
  }

  return {
    record: async (effects, nowMs) => {
      const before = clearings
      const day = Math.floor(nowMs / dayMs)
      const notes = notesOf(effects, nowMs, (key) => cache.has(`${day} ${key}`))
      const stored = new Set((await touch.all([...notes.values()])).map(keyOf))
      const fullProjects = await writeNew(
        [...notes.values()].filter((note) => !stored.has(keyOf(note))),
        nowMs,
      )
      return () => {
        for (const id of fullProjects) full.set(id, nowMs)
        // The notes can have been read or deleted meanwhile. Then later events must write them again.
        if (clearings === before) for (const key of notes.keys()) cache.set(`${day} ${key}`, true)
      }
    },
    clearCache: () => {
      clearings += 1
      cache.clear()
    },
  }
}

type Found = { hash: string; name: string; from_jpos: number }

function byGroup(rows: readonly Found[]): MissingMapGroup[] {
  const groups = new Map<string, MissingMapGroup>()
  for (const { hash, name, from_jpos: fromJpos } of rows) {
    const group = groups.get(hash)
    if (!group) groups.set(hash, { groupHash: hash, names: [name], fromJpos })
    else {
      group.names.push(name)
      group.fromJpos = Math.min(group.fromJpos, fromJpos)
    }
  }
  return [...groups.values()]
}

/** Recounts the notes of a project. The caller opens the transaction. */
async function recount({ write, dialect: { builder } }: Store, projectId: number): Promise<void> {
  const found = await write.get(
    builder
      .selectFrom('missed')
      .select(({ fn }) => fn.countAll<number>().as('n'))
      .where('project_id', '=', projectId),
  )
  const quantity = Number(found?.n ?? 0)
  // Nothing is refused once there is space again.
  const reset = quantity < missingMapsMax ? { refused: 0, refused_ms: null } : {}
  await write.run(
    builder
      .updateTable('missed_sum')
      .set({ quantity, ...reset })
      .where('project_id', '=', projectId),
  )
}

type ReadPart = Pick<
  MissingMapStore,
  'arrivals' | 'missingMapsInBundles' | 'lateProjects' | 'missingMapsOf' | 'missingMapCounts'
>

/** Implements the lookups of missing source maps. */
export function missingMapReadPart({ write, dialect: { builder } }: Store, missingMaps: MissingMapWriter): ReadPart {
  const missingRows = (projectId: number) =>
    builder.selectFrom('missed').select(['hash', 'name', 'from_jpos']).where('project_id', '=', projectId)
  return {
    arrivals: async () => {
      const found = new Map<number, number[]>()
      for (const row of await write.all(builder.selectFrom('arrival').selectAll().orderBy('created_ms')))
        found.set(row.project_id, [...(found.get(row.project_id) ?? []), row.bundle_id])
      return [...found].map(([projectId, bundleIds]) => ({ projectId, bundleIds }))
    },
    missingMapsInBundles: async (projectId, bundleIds) => {
      // Later events must be written with their time.
      missingMaps.clearCache()
      const rows: Found[] = []
      for (let start = 0; start < bundleIds.length; start += chunk) {
        const ids = bundleIds.slice(start, start + chunk)
        const files = builder
          .selectFrom('artifact_file')
          .select(sql<string>`${'d:'} || debug_id`.as('name'))
          .where('bundle_id', 'in', ids)
          .where('debug_id', '!=', '')
        const links = builder
          .selectFrom('artifact_link')
          .select(sql<string>`${'r:'} || release || ${'\n'} || dist`.as('name'))
          .where('bundle_id', 'in', ids)
          .where('project_id', '=', projectId)
        rows.push(...(await write.all(missingRows(projectId).where('name', 'in', files))))
        rows.push(...(await write.all(missingRows(projectId).where('name', 'in', links))))
      }
      return byGroup(rows)
    },
    lateProjects: async (beforeMs) =>
      (
        await write.all(
          builder
            .selectFrom('project')
            .select('id')
            // Use the key of each project: nearly all notes are old, and few are about late source maps.
            .where((build) =>
              build.exists(
                build
                  .selectFrom('missed')
                  .select('missed.hash')
                  .whereRef('missed.project_id', '=', 'project.id')
                  .where('missed.name', '=', lateMapName)
                  .where('missed.last_ms', '<', beforeMs),
              ),
            ),
        )
      ).map((row) => row.id),
    missingMapsOf: async (projectId, names) => {
      missingMaps.clearCache()
      return byGroup(
        await write.all(
          names ? missingRows(projectId).where('name', 'in', names.slice(0, chunk)) : missingRows(projectId),
        ),
      )
    },
    missingMapCounts: async (projectId) => {
      const row = await write.get(builder.selectFrom('missed_sum').selectAll().where('project_id', '=', projectId))
      return { quantity: row?.quantity ?? 0, refused: row?.refused ?? 0, refusedMs: row?.refused_ms ?? null }
    },
  }
}

type ClearPart = Pick<MissingMapStore, 'dropArrivals' | 'clearMissingMaps' | 'pruneMissingMaps'>

/** Implements the deletion of notes. */
export function missingMapClearPart(store: Store, missingMaps: MissingMapWriter): ClearPart {
  const { write } = store
  const { builder } = store.dialect
  return {
    dropArrivals: async (projectId, bundleIds, beforeMs) => {
      for (let start = 0; start < bundleIds.length; start += chunk)
        await write.run(
          builder
            .deleteFrom('arrival')
            .where('project_id', '=', projectId)
            .where('created_ms', '<', beforeMs)
            .where('bundle_id', 'in', bundleIds.slice(start, start + chunk)),
        )
    },
    clearMissingMaps: ({ projectId, groups, stillMissing, beforeMs }) =>
      write.transaction(async () => {
        const remove = write.prepared<{ name: string; hash: string }, unknown>((slot) =>
          builder
            .deleteFrom('missed')
            .where('project_id', '=', projectId)
            .where('name', '=', slot('name'))
            .where('hash', '=', slot('hash'))
            .where('last_ms', '<', beforeMs),
        )
        // Each group with its own names: all names of 100 groups for each group would be millions of statements.
        for (const { groupHash: hash, names } of groups)
          for (const name of names) if (!stillMissing.has(`${name} ${hash}`)) await remove.run({ name, hash })
        await recount(store, projectId)
        missingMaps.clearCache()
      }),
    pruneMissingMaps: (beforeMs) =>
      write.transaction(async () => {
        const expired = builder.selectFrom('missed').select('project_id').distinct().where('last_ms', '<', beforeMs)
        const projects = (await write.all(expired)).map((row) => row.project_id)
        if (projects.length === 0) return 0
        const { changes } = await write.run(builder.deleteFrom('missed').where('last_ms', '<', beforeMs))
        for (const projectId of projects) await recount(store, projectId)
        missingMaps.clearCache()
        return changes
      }),
  }
}
