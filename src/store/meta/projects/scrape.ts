import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import { idColumn, rowInsert, rowStatement } from '../database/row-statement.ts'
import type { RowOf } from '../database/rows.ts'
import type { DueBy, Store } from '../database/store.ts'
import type { EventEffect } from '../meta.ts'

/** A public script from the events of a release and dist that nobody uploaded. */
type Scrape = { projectId: number; release: string; dist: string; url: string }

/** A script to fetch. `organizationId`: the organization of its project. */
export type DueScrape = Scrape & { organizationId: number; lastMs: number }

/** Settings for fetching scripts. `sealedToken`: '' for none. `origins`: the allowed ones; none or `*` allow all. */
export type ScrapeSettings = { on: boolean; verifyTls: boolean; sealedToken: string; origins: string[] }

export type ScrapeStore = {
  /** Settings of a project; fetching is off for an unknown project. Throws nothing. */
  scrapeSettings(projectId: number): Promise<ScrapeSettings>
  /**
   * Due scripts that recent events use, from projects with fetching on. Projects take turns. In a project, failed
   * scripts come last, else the longest due first. So one project's made-up addresses do not delay the others.
   */
  dueScrapes(nowMs: number, max: number): Promise<DueScrape[]>
  /** Stores the result, and when to fetch again if events still use the script then. */
  setScrape(scrape: Scrape, value: { nextMs: number; fetchedMs: number | null; failure: string }): Promise<void>
  /** Deletes scripts that no event has used since `beforeMs`. Returns their number. */
  dropScrapes(beforeMs: number): Promise<number>
  /** Total bytes of the fetched files of a project. */
  scrapedBytes(projectId: number): Promise<number>
}

/** Maximum scripts per project, because anybody with its key can send addresses. */
export const scrapesMax = 2000
/** How many failed scripts are evicted at once when there is no budget for a new script. */
const evictedMax = 200
const cachedMax = 20_000
/** How often the last use of a script is updated. */
const stepMs = 600_000

/** Name of a script in an effect: release, dist and address, one per line. */
export const scrapeName = (release: string, dist: string, url: string): string => `${release}\n${dist}\n${url}`

/** The writer of used scripts, with a cache of written ones. */
type ScrapeNotes = {
  /**
   * Writes the scripts of events in the caller's transaction. Call the result after the commit: it caches these scripts.
   * A transaction that is rolled back or runs again must not change the cache.
   */
  record(effects: readonly EventEffect[], nowMs: number): Promise<() => void>
}

/** Deletes the oldest failed scripts. Returns their number. */
const evictFailed = async ({ write, dialect: { builder } }: Store, project: number): Promise<number> =>
  (
    await write.run(
      builder
        .deleteFrom('scrape')
        .where('project_id', '=', project)
        .where(({ eb, refTuple, selectFrom }) =>
          eb(
            refTuple('release', 'dist', 'url'),
            'in',
            selectFrom('scrape')
              .select(['release', 'dist', 'url'])
              .where('project_id', '=', project)
              .where('failure', '<>', '')
              .orderBy('last_ms')
              .limit(evictedMax)
              .$asTuple('release', 'dist', 'url'),
          ),
        ),
    )
  ).changes

const scriptColumns = {
  project_id: 'integer',
  release: 'text',
  dist: 'text',
  url: 'text',
  next_ms: 'integer',
  last_ms: 'integer',
} as const
type Script = RowOf<typeof scriptColumns>

function scriptStatements(store: Store) {
  const { builder } = store.dialect
  const touch = rowStatement(store, scriptColumns, (input) =>
    builder
      .updateTable('scrape')
      .from(input)
      .set((build) => ({ last_ms: build.ref('input.last_ms') }))
      .whereRef('scrape.project_id', '=', 'input.project_id')
      .whereRef('scrape.release', '=', 'input.release')
      .whereRef('scrape.dist', '=', 'input.dist')
      .whereRef('scrape.url', '=', 'input.url')
      .returning(['scrape.project_id', 'scrape.release', 'scrape.dist', 'scrape.url']),
  )
  const counts = rowStatement(store, idColumn, (input) =>
    builder
      .selectFrom(input)
      .innerJoin('scrape', 'scrape.project_id', 'input.id')
      .select(({ fn }) => ['input.id', fn.countAll<number>().as('n')])
      .groupBy('input.id'),
  )
  return { touch, counts, insert: rowInsert(store, 'scrape', scriptColumns) }
}

const keyOf = (row: Pick<Script, 'project_id' | 'release' | 'dist' | 'url'>): string =>
  `${row.project_id} ${scrapeName(row.release, row.dist, row.url)}`

/** Creates the writer of used scripts. The last use of a script is updated once in ten minutes. */
export function scrapeWriter(store: Store): ScrapeNotes {
  const { touch, counts, insert } = scriptStatements(store)
  const cache = new LRUCache<string, true>({ max: cachedMax })
  // Cache full projects, because a flood of made-up addresses must not count the rows for each of them.
  const full = new LRUCache<number, number>({ max: 1000 })

  /** Returns how many of `wanted` new scripts a project can have. Evicts failed scripts if there is no space. */
  async function spaceOf(project: number, wanted: number, stored: number): Promise<number> {
    let space = Math.max(0, scrapesMax - stored)
    while (space < wanted) {
      const evicted = await evictFailed(store, project)
      if (evicted === 0) break
      space += evicted
    }
    return space
  }

  /** Writes new scripts as far as there is space. Returns the projects that are full. */
  async function writeNew(scripts: readonly Script[], step: number): Promise<number[]> {
    const groups = Map.groupBy(scripts, (script) => script.project_id)
    const open = [...groups].filter(([project]) => full.get(project) !== step)
    const numbers = new Map((await counts.all(open.map(([id]) => ({ id })))).map((row) => [row.id, Number(row.n)]))
    const fitting: Script[] = []
    const fullProjects: number[] = []
    for (const [project, group] of open) {
      const space = await spaceOf(project, group.length, numbers.get(project) ?? 0)
      fitting.push(...group.slice(0, space))
      if (space < group.length) fullProjects.push(project)
    }
    await insert.run(fitting)
    return fullProjects
  }

  return {
    record: async (effects, nowMs) => {
      const step = Math.floor(nowMs / stepMs)
      const scripts = new Map<string, Script>()
      for (const { projectId, scrapes = [] } of effects)
        for (const name of scrapes) {
          const [release = '', dist = '', url = ''] = name.toWellFormed().split('\n')
          const script = { project_id: projectId, release, dist, url, next_ms: nowMs, last_ms: nowMs }
          const key = keyOf(script)
          if (!cache.has(`${step} ${key}`)) scripts.set(key, script)
        }
      const stored = new Set((await touch.all([...scripts.values()])).map(keyOf))
      const fullProjects = await writeNew(
        [...scripts.values()].filter((script) => !stored.has(keyOf(script))),
        step,
      )
      return () => {
        for (const project of fullProjects) full.set(project, step)
        for (const key of scripts.keys()) cache.set(`${step} ${key}`, true)
      }
    },
  }
}

type DueRow = Pick<Script, 'project_id' | 'release' | 'dist' | 'url' | 'last_ms'> & { organization_id: number }

/** Due scripts, each with its rank in its project. `nowMs` can be a slot of a prepared query. */
function dueQuery(builder: Store['dialect']['builder'], nowMs: number) {
  return (
    builder
      .selectFrom('scrape')
      .innerJoin('project', 'project.id', 'scrape.project_id')
      .select(['scrape.project_id', 'scrape.release', 'scrape.dist', 'scrape.url', 'scrape.last_ms', 'scrape.next_ms'])
      .select('project.organization_id')
      .select(({ fn, ref }) =>
        fn
          .agg<number>('row_number')
          .over((over) =>
            over
              .partitionBy('scrape.project_id')
              .orderBy(sql`case when ${ref('scrape.failure')} = '' then 0 else 1 end`)
              .orderBy('scrape.next_ms')
              .orderBy('scrape.url'),
          )
          .as('turn'),
      )
      .where('project.scrape', '=', 1)
      .where('scrape.next_ms', '<=', nowMs)
      // Fetch again only when events have used the script since the last fetch.
      .where((build) =>
        build.or([
          build('scrape.fetched_ms', 'is', null),
          build('scrape.last_ms', '>', build.ref('scrape.fetched_ms')),
        ]),
      )
  )
}

/** Implements the queue of scripts for the fetch job. */
export function scrapePart({ write, read, dialect: { builder } }: Store): ScrapeStore {
  // Prepared once, because it runs every few seconds.
  const due = write.prepared<DueBy, DueRow>((slot) =>
    builder
      .selectFrom(dueQuery(builder, slot('nowMs')).as('due'))
      .selectAll()
      .orderBy('turn')
      .orderBy('next_ms')
      .limit(slot('max')),
  )
  return {
    scrapeSettings: async (projectId) => {
      const row = await read.get(builder.selectFrom('project').selectAll().where('id', '=', projectId))
      return {
        on: row?.scrape === 1,
        verifyTls: row?.scrape_tls !== 0,
        sealedToken: row?.sealed_scrape_token ?? '',
        origins: row ? (JSON.parse(row.allowed_origins) as string[]) : [],
      }
    },
    dueScrapes: async (nowMs, max) =>
      (await due.all({ nowMs, max })).map((row) => ({
        projectId: row.project_id,
        organizationId: row.organization_id,
        release: row.release,
        dist: row.dist,
        url: row.url,
        lastMs: row.last_ms,
      })),
    setScrape: async ({ projectId, release, dist, url }, { nextMs, fetchedMs, failure }) => {
      await write.run(
        builder
          .updateTable('scrape')
          .set({ next_ms: nextMs, fetched_ms: fetchedMs, failure })
          .where('project_id', '=', projectId)
          .where('release', '=', release)
          .where('dist', '=', dist)
          .where('url', '=', url),
      )
    },
    scrapedBytes: async (projectId) =>
      Number(
        (
          await read.get(
            builder
              .selectFrom('artifact_bundle')
              .select(({ fn }) => fn.sum<number>('bytes').as('bytes'))
              .where('kind', '=', 'scraped')
              .where(
                'id',
                'in',
                builder.selectFrom('artifact_link').select('bundle_id').where('project_id', '=', projectId),
              ),
          )
        )?.bytes ?? 0,
      ),
    dropScrapes: async (beforeMs) =>
      (await write.run(builder.deleteFrom('scrape').where('last_ms', '<', beforeMs))).changes,
  }
}
