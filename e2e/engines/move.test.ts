// The whole product moves to PostgreSQL, a ClickHouse server and S3 and back, while it takes events.

import { execFile } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { noS3, type S3Server, startS3Server } from '../../src/store/blobs/s3-server.cases.ts'
import { noPostgres, startPostgres, type TestServer } from '../../src/store/meta/database/postgres/server.cases.ts'
import { type Acknowledged, childrenOf, faultsOf, send, settled } from '../crash/traffic.ts'
import { bootstrap, discard, type Product, type Project, ready, root, start, until } from '../product.ts'
import { runsAll } from './all.ts'
import { type ClickHouseNode, noNodeReason, startClickHouseNode } from './clickhouse-node/node.ts'

const skipped = noPostgres() ?? noS3 ?? noNodeReason()
if (skipped) console.warn(`skipped: ${skipped}`)

const user = { name: 'mishap', password: 'p@ss/word', database: 'errors' }
const types = ['MoveError', 'CopyError', 'SwitchError']
const state = {} as {
  postgres: TestServer
  node: ClickHouseNode
  s3: S3Server
  product: Product
  project: Project
  sent: Acknowledged[]
}

type Ended = { code: number; out: string }
/** Runs `mishap move`. */
const move = (env: Record<string, string>, ...words: string[]): Promise<Ended> =>
  new Promise((resolve) => {
    const all = ['--disable-warning=ExperimentalWarning', join(root, 'src/processes/main.ts'), 'move', ...words]
    execFile(
      process.execPath,
      [...all, '--json', '--data', state.product.data],
      { env: { ...process.env, ...env }, timeout: 120_000 },
      (error, stdout, stderr) => resolve({ code: error ? Number(error.code ?? 1) : 0, out: stdout + stderr }),
    )
  })

const external = () => ({
  META: state.postgres.url('moved'),
  EVENTS: `http://${user.name}:${encodeURIComponent(user.password)}@127.0.0.1:${state.node.port}/${user.database}`,
  BLOBS: state.s3.url('mishap', 'moved'),
})
const named = (prefix: string) =>
  Object.fromEntries(Object.entries(external()).map(([name, value]) => [`${prefix}_${name}`, value]))
const stores = () => JSON.parse(readFileSync(join(state.product.data, 'stores.json'), 'utf8')) as { places: object }

/** When the targets were last recorded, just before the copy begins; 0 for never. */
const writtenMs = () => statSync(join(state.product.data, 'moving.json'), { throwIfNoEntry: false })?.mtimeMs ?? 0

/** Sends events during `work`. All must be answered with 200. Returns the result of `work`. */
async function under<T>(work: () => Promise<T>, mayRefuse = false): Promise<T> {
  const traffic = send(state.product, state.project, types, 4, true)
  try {
    return await work()
  } finally {
    await traffic.stop()
    state.sent.push(...traffic.acknowledged)
    // Broken envelopes are part of the traffic.
    const { 400: _broken, ...others } = traffic.refused
    if (!mayRefuse) expect(others).toEqual({})
  }
}

async function expectWhole(): Promise<void> {
  await settled(state.product, state.project)
  expect(await faultsOf(state.product, state.project, types, state.sent)).toEqual([])
}

const answerOf = ({ code, out }: Ended) => {
  expect(code, out.slice(-1500)).toBe(0)
  return JSON.parse(out) as { pausedMs: number; kept: { store: string }[]; checks: { wrong: string[] }[] }
}

describe.skipIf(skipped || !runsAll)('mishap move', () => {
  beforeAll(async () => {
    state.sent = []
    state.postgres = await startPostgres({ safe: true })
    await state.postgres.sql('postgres', 'create database moved')
    state.node = await startClickHouseNode({ users: [user] })
    await state.node.ask(`CREATE DATABASE ${user.database}`)
    state.s3 = await startS3Server()
    await state.s3.createBucket('mishap')
    state.product = await start()
    state.project = bootstrap(state.product)
    await ready(state.product, 60_000)
  }, 180_000)

  afterAll(async () => {
    await state.product?.stop('SIGKILL')
    await state.node?.discard()
    await state.postgres?.remove()
    await state.s3?.remove()
    if (state.product) await discard(state.product)
  })

  test('a move is killed, started again, and takes everything with it', { timeout: 300_000 }, async () => {
    await under(() => pause(4000))
    for (const afterMs of [0, 400]) {
      await under(async () => {
        const began = writtenMs()
        const killed = move(named('MISHAP_MOVE'))
        await until('the copy', 60_000, async () => writtenMs() > began)
        await pause(afterMs)
        for (const pid of childrenOf(state.product.child.pid ?? 0, 'app.ts')) process.kill(pid, 'SIGKILL')
        const { code, out } = await killed
        expect([code, out.includes('Its old stores are in use')], out).toEqual([1, true])
        expect(existsSync(join(state.product.data, 'stores.json'))).toBe(false)
        await ready(state.product, 60_000)
      })
    }
    const answer = answerOf(await under(() => move(named('MISHAP_MOVE'))))
    // 10 s is the goal on a free machine. The suite shares its cores.
    expect(answer.pausedMs).toBeLessThan(30_000)
    expect(answer.checks.flatMap(({ wrong }) => wrong)).toEqual([])
    expect(answer.kept.map(({ store }) => store)).toEqual(['meta', 'events', 'blobs'])
    expect(childrenOf(state.product.child.pid ?? 0, 'engine.ts')).toEqual([])
    expect(readFileSync(join(state.product.data, 'stores.json'), 'utf8')).not.toContain('p@ss')
    await under(() => pause(1500))
    await expectWhole()
    expect(Number(await state.node.ask(`SELECT count() FROM ${user.database}.events`))).toBeGreaterThan(100)
  })

  test('a start with the old settings is refused; with the new ones it goes on', { timeout: 120_000 }, async () => {
    const { data, port } = state.product
    await state.product.stop()
    await expect(start({ data, port })).rejects.toThrow('START_STORES_MOVED')
    state.product = await start({ data, port, env: named('MISHAP') })
    await ready(state.product, 60_000)
    await expectWhole()
  })

  test('a target that cannot be used is refused, and nothing changes', { timeout: 60_000 }, async () => {
    const refused = await move({ ...named('MISHAP'), MISHAP_MOVE_META: 'postgres://nobody:hush@127.0.0.1:1/none' })
    expect([refused.code, refused.out.includes('hush')], refused.out).toEqual([1, false])
    const none = await move(named('MISHAP'))
    expect([none.code, none.out.includes('MISHAP_MOVE_META')], none.out).toEqual([1, true])
    await ready(state.product)
  })

  test('everything moves back into the data folder', { timeout: 180_000 }, async () => {
    await under(() => pause(1000))
    const answer = answerOf(
      await under(() => move(named('MISHAP'), '--meta', 'sqlite', '--events', 'embedded', '--blobs', 'files')),
    )
    expect(answer.checks.flatMap(({ wrong }) => wrong)).toEqual([])
    expect(stores().places).toEqual({ meta: 'sqlite', events: 'embedded', blobs: 'files' })
    await under(() => pause(1000))
    await expectWhole()
    const { data, port } = state.product
    await state.product.stop('SIGKILL')
    state.product = await start({ data, port })
    await until('ready', 60_000, () => ready(state.product))
    await expectWhole()
  })
})
