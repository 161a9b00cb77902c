import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { testClock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import { silent } from '../base/observe.ts'
import type { Plan, PlanAnswer } from '../contract/explore/explore.ts'
import { removeExport, requestExport } from '../operations/exports.ts'
import type { AskPlan } from '../query/explore/export-pages.ts'
import { openFileBlobs } from '../store/blobs/files.ts'
import { openTestMeta } from '../store/meta/fixture.cases.ts'
import { createExports } from './exports.ts'

const folder = mkdtempSync(join(tmpdir(), 'mishap-exports-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const dayMs = 86_400_000
const plan: Plan = {
  dataset: 'logs',
  query: '',
  columns: ['n'],
  groupBy: [],
  series: [],
  formulas: [],
  order: '',
  limit: 100,
}

/** A store with one row at each millisecond of the range. */
const evenly: AskPlan = async ({ fromMs, toMs }, { limit, series }) => {
  const count = toMs - fromMs
  const shown = Math.min(count, limit)
  const meta: PlanAnswer['meta'] = {
    fromMs,
    toMs,
    scannedFromMs: fromMs,
    partial: null,
    samples: count,
    sampled: false,
    more: count > limit,
    rowsRead: 0,
    bytesRead: 0,
    elapsedMs: 0,
  }
  if (series.length > 0) return { columns: [], rows: [[count]], series: [], meta }
  const rows = Array.from({ length: shown }, (_, at) => [toMs - 1 - at])
  return { columns: [{ name: 'n', label: 'n', role: 'field', type: 'integer', unit: null }], rows, series: [], meta }
}

let files = 0
async function rig(ask: AskPlan = evenly, room = 10_000_000) {
  const clock = testClock()
  const meta = await openTestMeta(join(folder, `${++files}.sqlite`), { clock })
  const blobs = openFileBlobs(join(folder, `blobs-${files}`))
  const organization = await meta.organizations.createOrganization({ slug: 'acme', name: 'Acme', ownerUserId: 'u' })
  const organizationId = organization.id
  const project = await meta.projects.createProject({ organizationId, slug: 'web', name: 'Web', platform: 'node' })
  const state: { ask: AskPlan | undefined } = { ask }
  const exports = createExports({
    clock,
    observe: silent,
    meta,
    blobs,
    askOf: async () => state.ask,
    roomBytes: async (taken) => room - taken,
  })
  const request = { plan, projectIds: [project.id], environments: [], fromMs: 0, toMs: 25_000 }
  /** Stores a request without starting it. */
  const add = (userId = 'u') => meta.explore.requestExport({ organizationId, userId, format: 'csv', request })
  const read = async (id: number) => {
    const found = await meta.explore.exportById(id)
    if (!found) throw new Error('gone')
    return found
  }
  return { clock, meta, blobs, exports, project, organizationId, request, state, add, read }
}

test('writes every row to one file, and counts them', async () => {
  const { exports, add, read, blobs, meta } = await rig()
  const { id } = await add()
  await exports.run()
  const done = await read(id)
  expect([done.state, done.rowsDone, done.error]).toEqual(['done', 25_000, ''])
  const bytes = await blobs.get(done.blobKey)
  const lines = bytes?.toString().trimEnd().split('\r\n') ?? []
  expect([lines[0], lines[1], lines.length, new Set(lines).size]).toEqual(['n', '24999', 25_001, 25_001])
  expect(done.bytes).toBe(bytes?.length)
  await meta.close()
})

test('people take turns: many exports of one do not hold back those of others', async () => {
  const { clock, exports, add, read, meta, state } = await rig()
  const ids = [await add(), await add(), await add('v'), await add('v'), await add('w')].map(({ id }) => id)
  state.ask = async (range, asked) => {
    clock.advance(1)
    return evenly(range, asked)
  }
  expect(await exports.run()).toEqual({ ended: 5 })
  const ended = await Promise.all(ids.map(async (id) => ({ id, endedMs: (await read(id)).endedMs ?? 0 })))
  const order = ended.toSorted((a, b) => a.endedMs - b.endedMs).map(({ id }) => ids.indexOf(id))
  expect(order).toEqual([0, 2, 4, 1, 3])
  await meta.close()
})

test('an export that a kill interrupted begins again, and leaves no second file', async () => {
  const { exports, add, read, blobs, meta, state } = await rig()
  const { id } = await add()
  let pages = 0
  state.ask = async (range, asked) => {
    if (++pages === 3) throw new MishapError('STORE_UNAVAILABLE')
    return evenly(range, asked)
  }
  await expect(exports.run()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  expect((await read(id)).endedMs).toBeNull()
  expect(await blobs.list('exports')).toEqual([])
  state.ask = evenly
  await exports.run()
  const done = await read(id)
  expect([done.state, done.rowsDone]).toEqual(['done', 25_000])
  expect(await blobs.list('exports')).toEqual([done.blobKey])
  await meta.close()
})

test('a wrong plan, a deleted project and too little room end an export with a sentence', async () => {
  const wrong = await rig(async () => {
    throw new MishapError('QUERY_FIELD_UNKNOWN', { detail: 'nothing is no field.' })
  })
  const first = await wrong.add()
  await wrong.exports.run()
  expect(await wrong.read(first.id)).toMatchObject({ state: 'failed', error: 'nothing is no field.', blobKey: '' })

  const gone = await rig()
  gone.state.ask = undefined
  const second = await gone.add()
  await gone.exports.run()
  expect(await gone.read(second.id)).toMatchObject({ state: 'failed', error: 'A project of the export was deleted.' })

  const small = await rig(evenly, 1000)
  const third = await small.add()
  await small.exports.run()
  expect(await small.read(third.id)).toMatchObject({ state: 'failed', error: expect.stringContaining('larger') })
  expect(await small.blobs.list('exports')).toEqual([])
  for (const { meta } of [wrong, gone, small]) await meta.close()
})

test('a canceled export stops, and its file does not stay', async () => {
  const { exports, read, blobs, meta, state, organizationId, request } = await rig()
  const asked = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  state.ask = async (range, asking) => {
    asked.resolve()
    await goOn.promise
    return evenly(range, asking)
  }
  const created = await requestExport({ meta, exports }, { organizationId, userId: 'u', format: 'jsonl', request })
  await asked.promise
  await removeExport({ meta, blobs, exports }, await read(created.id))
  goOn.resolve()
  await exports.run()
  expect(await read(created.id)).toMatchObject({ state: 'canceled', blobKey: '' })
  expect(await blobs.list('exports')).toEqual([])
  await removeExport({ meta, blobs, exports }, await read(created.id))
  expect(await meta.explore.exportById(created.id)).toBeUndefined()
  await meta.close()
})

test('files go after a week, with their project, and when no export names them', async () => {
  const { clock, exports, add, read, blobs, meta, organizationId } = await rig()
  const { id } = await add()
  await exports.run()
  await blobs.put(`exports/${organizationId}/77-left.csv`, Buffer.from('x'))
  expect(await exports.sweep()).toEqual({ expired: 0, orphans: 1 })
  clock.advance(7 * dayMs + 1)
  expect(await exports.sweep()).toEqual({ expired: 1, orphans: 0 })
  expect([(await read(id)).state, await blobs.list('exports')]).toEqual(['expired', []])
  clock.advance(30 * dayMs)
  await exports.sweep()
  expect(await meta.explore.exportById(id)).toBeUndefined()
  await meta.close()
})

test('a person has at most five exports that have not ended', async () => {
  const { add, meta } = await rig()
  for (let count = 0; count < 5; count++) await add()
  await expect(add()).rejects.toMatchObject({ code: 'CONFLICT' })
  await meta.close()
})
