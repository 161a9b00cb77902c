import { describe, expect, test } from 'vitest'
import { codeOf, commit, effect, nowMs } from '../fixture.cases.ts'
import type { MetaStore } from '../meta-store.ts'
import { scrapeName, scrapesMax } from './scrape.ts'

const url = 'https://cdn.test/a.js'
const [minuteMs, hourMs] = [60_000, 3_600_000]

/** Cases of fetching public scripts, for every meta store. */
export function scrapeCases(fresh: () => Promise<MetaStore>): void {
  const ready = async (): Promise<MetaStore> => {
    const meta = await fresh()
    await meta.projects.updateProject(1, { scrape: true })
    return meta
  }
  const ran = (meta: MetaStore, atMs: number, ...urls: string[]) =>
    commit(meta, { events: [effect({ scrapes: urls.map((item) => scrapeName('shop@1', '', item)) })] }, atMs)
  const dueAt = async (meta: MetaStore, atMs: number) =>
    (await meta.artifacts.dueScrapes(atMs, 9)).map((dueScrape) => dueScrape.url)

  describe('scripts that nobody uploaded', () => {
    test('are asked for by projects that want it, with what a person set', async () => {
      const meta = await fresh()
      expect(await meta.artifacts.scrapeSettings(1)).toEqual({
        on: false,
        verifyTls: true,
        sealedToken: '',
        origins: [],
      })
      expect(await meta.projects.projectSettings(1)).not.toHaveProperty('scrape')
      await ran(meta, nowMs, url)
      expect(await dueAt(meta, nowMs)).toEqual([])
      await meta.projects.updateProject(1, {
        scrape: true,
        scrapeTls: false,
        sealedScrapeToken: 'v1.x',
        allowedOrigins: ['*.test'],
      })
      expect(await meta.artifacts.scrapeSettings(1)).toEqual({
        on: true,
        verifyTls: false,
        sealedToken: 'v1.x',
        origins: ['*.test'],
      })
      expect(await meta.projects.projectSettings(1)).toMatchObject({ scrape: true })
      expect(await meta.artifacts.dueScrapes(nowMs, 9)).toEqual([
        { projectId: 1, organizationId: 1, release: 'shop@1', dist: '', url, lastMs: nowMs },
      ])
      await meta.projects.updateProject(1, { sealedScrapeToken: '' })
      expect((await meta.artifacts.scrapeSettings(1)).sealedToken).toBe('')
      expect((await meta.artifacts.scrapeSettings(99)).on).toBe(false)
    })

    test('come once for many events, and again when their time has come and events still run them', async () => {
      const meta = await ready()
      await ran(meta, nowMs, url, url)
      await ran(meta, nowMs + 1, url)
      const [due] = await meta.artifacts.dueScrapes(nowMs + 1, 9)
      if (!due) throw new Error('nothing is due')
      await meta.artifacts.setScrape(due, { nextMs: nowMs + hourMs, fetchedMs: nowMs + 5, failure: '' })
      expect(await dueAt(meta, nowMs + 2 * hourMs)).toEqual([])
      await ran(meta, nowMs + 30 * minuteMs, url)
      expect([await dueAt(meta, nowMs + 59 * minuteMs), await dueAt(meta, nowMs + hourMs)]).toEqual([[], [url]])
    })

    test('are bounded for each project, and forgotten when nothing has run them', async () => {
      const meta = await ready()
      for (let at = 0; at < scrapesMax + 5; at += 401)
        await ran(meta, nowMs, ...Array.from({ length: 401 }, (_, n) => `https://cdn.test/${at + n}.js`))
      expect(await meta.artifacts.dueScrapes(nowMs, 9999)).toHaveLength(scrapesMax)
      expect(await meta.artifacts.dueScrapes(nowMs, 3)).toHaveLength(3)
      await ran(meta, nowMs + hourMs, 'https://cdn.test/0.js')
      expect(await meta.artifacts.dropScrapes(nowMs + 1)).toBe(scrapesMax - 1)
      expect(await dueAt(meta, nowMs + hourMs)).toEqual(['https://cdn.test/0.js'])
    })

    test('of one project hold up no other: projects in turn, what failed behind the rest', async () => {
      const meta = await ready()
      const other = await meta.projects.createProject({
        organizationId: 1,
        slug: 'second',
        name: 'Second',
        platform: null,
      })
      await meta.projects.updateProject(other.id, { scrape: true })
      await ran(meta, nowMs, ...Array.from({ length: 20 }, (_, n) => `https://made.test/${n}.js`))
      const [failed] = await meta.artifacts.dueScrapes(nowMs, 1)
      if (!failed) throw new Error('nothing is due')
      await meta.artifacts.setScrape(failed, { nextMs: nowMs, fetchedMs: null, failure: 'It answered 404.' })
      await commit(
        meta,
        { events: [effect({ projectId: other.id, scrapes: [scrapeName('shop@1', '', url)] })] },
        nowMs + minuteMs,
      )
      const due = await meta.artifacts.dueScrapes(nowMs + minuteMs, 99)
      expect(
        due
          .slice(0, 2)
          .map((item) => item.projectId)
          .sort(),
      ).toEqual([1, other.id].sort())
      expect(due.at(-1)).toMatchObject({ url: failed.url })
      expect(due).toHaveLength(21)
    })

    test('that cannot be fetched give way to new ones where there are too many', async () => {
      const meta = await ready()
      for (let at = 0; at < scrapesMax; at += 400)
        await ran(meta, nowMs, ...Array.from({ length: 400 }, (_, n) => `https://made.test/${at + n}.js`))
      await ran(meta, nowMs + 1, url)
      expect((await dueAt(meta, nowMs + 1)).includes(url)).toBe(false)
      const all = await meta.artifacts.dueScrapes(nowMs + 1, 9999)
      expect(all).toHaveLength(scrapesMax)
      for (const item of all.slice(0, 5))
        await meta.artifacts.setScrape(item, { nextMs: nowMs + hourMs, fetchedMs: nowMs, failure: 'no' })
      const later = nowMs + 11 * minuteMs
      await ran(meta, later, url)
      expect((await meta.artifacts.dueScrapes(later, 9999)).map((dueScrape) => dueScrape.url)).toContain(url)
      expect(await meta.artifacts.dueScrapes(later, 9999)).toHaveLength(scrapesMax - 4)
    })

    test('go with their project', async () => {
      const meta = await ready()
      await ran(meta, nowMs, url)
      const { id } = await meta.retention.requestRemoval({ kind: 'project', projectId: 1, issueId: null, userId: null })
      await meta.retention.removeRows(id, 1)
      expect([await dueAt(meta, nowMs), await meta.snapshots.faults()]).toEqual([[], []])
      expect(await codeOf(() => meta.projects.updateProject(1, { scrape: true }))).toBe('NOT_FOUND')
    })
  })
}
