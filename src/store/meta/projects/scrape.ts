import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Store } from '../database/store.ts'
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
  /** The caller opens the transaction. */
  record(effect: EventEffect, nowMs: number): Promise<void>
  /** Clears the cache, because written rows can have been deleted. */
  clearCache(): void
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

export function scrapeWriter(store: Store): ScrapeNotes {
  const {
    write,
    dialect: { builder },
  } = store
  type Row = { project: number; release: string; dist: string; url: string; ms: number }
  const cache = new LRUCache<string, true>({ max: cachedMax })
  const touch = write.prepared<Row, unknown>((slot) =>
    builder
      .updateTable('scrape')
      .set({ last_ms: slot('ms') })
      .where('project_id', '=', slot('project'))
      .where('release', '=', slot('release'))
      .where('dist', '=', slot('dist'))
      .where('url', '=', slot('url')),
  )
  const first = write.prepared<Row, unknown>((slot) =>
    builder.insertInto('scrape').values({
      project_id: slot('project'),
      release: slot('release'),
      dist: slot('dist'),
      url: slot('url'),
      next_ms: slot('ms'),
      last_ms: slot('ms'),
      fetched_ms: null,
    }),
  )
  const count = write.prepared<{ project: number }, { n: number }>((slot) =>
    builder
      .selectFrom('scrape')
      .select(({ fn }) => fn.countAll<number>().as('n'))
      .where('project_id', '=', slot('project')),
  )
  // Cache full projects, because a flood of made-up addresses must not count the rows for each of them.
  const full = new LRUCache<number, number>({ max: 1000 })
  const isFull = async (project: number, step: number): Promise<boolean> => {
    if (full.get(project) === step) return true
    if (Number((await count.get({ project }))?.n ?? 0) < scrapesMax) return false
    if ((await evictFailed(store, project)) > 0) return false
    full.set(project, step)
    return true
  }
  return {
    record: async ({ projectId: project, scrapes = [] }, nowMs) => {
      const step = Math.floor(nowMs / stepMs)
      for (const name of scrapes) {
        const key = `${project} ${step} ${name}`
        if (cache.has(key)) continue
        const [release = '', dist = '', url = ''] = name.split('\n')
        const row = { project, release, dist, url, ms: nowMs }
        if ((await touch.run(row)).changes === 0 && !(await isFull(project, step))) await first.run(row)
        cache.set(key, true)
      }
    },
    clearCache: () => cache.clear(),
  }
}

/** Due scripts, each with its rank in its project. */
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
    dueScrapes: async (nowMs, max) => {
      const dueRows = dueQuery(builder, nowMs)
      return (
        await write.all(builder.selectFrom(dueRows.as('due')).selectAll().orderBy('turn').orderBy('next_ms').limit(max))
      ).map((row) => ({
        projectId: row.project_id,
        organizationId: row.organization_id,
        release: row.release,
        dist: row.dist,
        url: row.url,
        lastMs: row.last_ms,
      }))
    },
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
