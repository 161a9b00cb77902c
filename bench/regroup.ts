// Reprocessing alone: the job over the real stores in this process, without ingest and processing in parallel.
import { performance } from 'node:perf_hooks'
import { type Build, buildOf, failedEvent } from '../e2e/mapped.ts'
import { openTestApp, type TestApp } from '../src/api/app.cases.ts'
import { systemClock } from '../src/base/clock.ts'
import { silent } from '../src/base/observe.ts'
import { createLock } from '../src/jobs/lock.ts'
import { createReprocessing } from '../src/jobs/reprocessing.ts'
import { refineEvent } from '../src/refine/pipeline/fixture.cases.ts'
import { createRemapper } from '../src/refine/pipeline/reprocess-rows.ts'
import { createMapCache } from '../src/refine/symbolicate/map-cache.ts'
import { encodeEventRow } from '../src/store/events/encode.ts'
import type { EventEffect } from '../src/store/meta/meta.ts'
import { cpuOf, type Row } from './measure.ts'

const eventsMax = 10_000
const batchMax = 1000

/** Stores events with 60 sets of tags over three days. Two thirds fail in one place, one third in another. */
async function fill({ app, project }: TestApp, build: Build): Promise<void> {
  const breadcrumbs = Array.from({ length: 30 }, (_, n) => ({
    type: 'http',
    category: 'fetch',
    level: 'info',
    data: { method: 'GET', url: `https://shop.test/api/items/${n}?page=${n * 7}`, status_code: 200 },
  }))
  const nowS = Date.now() / 1000
  for (let at = 0; at < eventsMax; at += batchMax) {
    const from = await app.meta.batches.cursor('events')
    const batch = await app.meta.batches.openBatch(from, from + batchMax * 1000)
    const effects: EventEffect[] = []
    const lines: string[] = []
    for (let n = 0; n < batchMax; n++) {
      const timestamp = nowS - ((at + n) % 72) * 3600
      const event = failedEvent(build, n % 3 === 0 ? 'search' : 'cart', {
        timestamp,
        user: { id: String((at + n) % 700) },
        breadcrumbs: { values: breadcrumbs },
      })
      const { row, effect } = refineEvent(event, { projectId: project.id, receivedMs: Date.now() })
      const jpos = from + n * 1000
      lines.push(encodeEventRow({ ...row, jpos }))
      effects.push({ ...effect, jpos, keyId: 1 })
    }
    await app.events.insert('events', Buffer.from(lines.join('')), `bench-${at}`)
    await app.meta.batches.commitBatch(batch, { events: effects, attachments: [], outcomes: [], dead: [] }, Date.now())
  }
}

/** The row for the reprocessing job alone. */
export async function benchRegroup(): Promise<Row[]> {
  const testApp = await openTestApp()
  const { app, project } = testApp
  const built = await buildOf('alone')
  await fill(testApp, built)
  const maps = createMapCache({
    clock: systemClock,
    observe: silent,
    meta: app.meta,
    blobs: app.blobs,
    blobSource: { folder: `${app.config.data}/blobs` },
  })
  const remapper = createRemapper({ clock: systemClock, observe: silent, maps, groupingOf: async () => undefined })
  const reprocessing = createReprocessing({
    clock: systemClock,
    observe: silent,
    meta: app.meta,
    events: app.events,
    lock: createLock(),
    pause: async () => () => undefined,
    remapRows: remapper.run,
    waiting: async () => 0,
    changed: () => undefined,
  })
  const files = [
    { url: '~/a.js', body: built.script, headers: { 'debug-id': built.debugId, sourcemap: 'a.js.map' } },
    { url: '~/a.js.map', body: built.map, headers: { 'debug-id': built.debugId } },
  ]
  for (const { url, body, headers } of files) {
    async function* stream() {
      yield Buffer.from(body)
    }
    const about = async () => ({ url, dist: '', headers: headers as Record<string, string> })
    const organizationId = testApp.organization.id
    await app.artifacts.addFile({ organizationId, projectIds: [project.id], release: '', stream: stream(), about })
  }
  const cpuBefore = cpuOf(process.pid)
  const began = performance.now()
  await reprocessing.run()
  const tookS = (performance.now() - began) / 1000
  const cpu = Object.entries(cpuOf(process.pid))
    .map(
      ([name, used]) => `${name === 'engine' ? 'events store' : 'job'} ${(used - (cpuBefore[name] ?? 0)).toFixed(1)} s`,
    )
    .join(', ')
  const [run] = await app.meta.retention.reprocessingRuns(1)
  const { twice, rollups } = await app.events.check()
  await remapper.close()
  await maps.close()
  await testApp.close()
  const isSound = twice === 0 && Object.values(rollups).every((off) => off === 0)
  return [
    {
      what: `${run?.mapped ?? 0} events of 7 kB mapped again, the job alone`,
      goal: '10,000 within 60 s, each once, rollups equal rows',
      result: `${tookS.toFixed(1)} s, ${run?.issues} issues; CPU ${cpu}; ${isSound ? 'sound' : 'NOT SOUND'}`,
      met: run?.mapped === eventsMax && tookS <= 60 && isSound,
    },
  ]
}
