import { execFile, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { extract } from 'tar'
import { afterAll, expect, test } from 'vitest'
import {
  api,
  bootstrap,
  discard,
  envelopeOf,
  errorEvent,
  ingest,
  type Product,
  ready,
  root,
  start,
  until,
} from '../product.ts'

const folder = mkdtempSync(join(tmpdir(), 'mishap-keep-'))
const running: Product[] = []
afterAll(async () => {
  await Promise.all(running.map(discard))
  rmSync(folder, { recursive: true, force: true })
})

type CommandResult = { status: number; json: never; text: string }

/** Runs `mishap …` while this process continues to send. Returns its JSON output. */
const mishap = (...words: string[]): Promise<CommandResult> =>
  new Promise((resolve) => {
    execFile(
      process.execPath,
      [join(root, 'src/processes/main.ts'), ...words],
      { encoding: 'utf8' },
      (error, stdout, stderr) => {
        const json = (stdout.startsWith('{') ? JSON.parse(stdout) : undefined) as never
        resolve({ status: error ? Number(error.code) : 0, json, text: stdout + stderr })
      },
    )
  })

type Issue = { id: string; shortId: string; title: string; count: string; lifetime: { count: string } }

test.concurrent('a backup taken under load comes back with everything that was acknowledged before it', async () => {
  const product = await start()
  running.push(product)
  const project = await bootstrap(product)
  await ready(product)
  const sent = { acknowledged: 0, on: true }
  const sender = async () => {
    for (let at = 0; sent.on; at++) {
      const answer = await ingest(product, project, envelopeOf(errorEvent(`Keep${at % 5}`, 'kept')))
      if (answer.status === 200) sent.acknowledged++
    }
  }
  const senders = [sender(), sender()]
  await until('some events', 30_000, async () => sent.acknowledged > 200)
  const before = sent.acknowledged
  const file = join(folder, 'under-load.tar')
  const made = await mishap('backup', file, '--json', '--data', product.data)
  const after = sent.acknowledged
  expect([made.status, after > before]).toEqual([0, true])
  sent.on = false
  await Promise.all(senders)
  await product.stop()

  const data = join(folder, 'restored')
  const restored = await mishap('restore', file, '--json', '--data', data)
  expect(restored).toMatchObject({ status: 0, json: made.json })
  const restarted = await start({ data })
  running.push(restarted)
  await ready(restarted)
  const counts = async () => {
    const issues = (await api(restarted, project, `/organizations/${project.org}/issues/?query=`)).json as Issue[]
    return issues.reduce((sum, issue) => sum + Number(issue.lifetime.count), 0)
  }
  // The backup must contain events answered before it. It can contain events answered while it ran.
  const there = await until('everything refined', 60_000, async () => {
    const state = await mishap('verify', '--json', '--data', data)
    const now = await counts()
    return state.status === 0 && now >= before ? now : undefined
  })
  expect(there).toBeLessThanOrEqual(after + 2)
  expect((await mishap('verify', '--json', '--data', data)).json).toMatchObject({ ok: true })
}, 180_000)

test.concurrent('kill -9 during a backup leaves nothing behind its next start; of three at once one is taken', async () => {
  const product = await start()
  running.push(product)
  const project = await bootstrap(product)
  await ready(product)
  expect((await ingest(product, project, envelopeOf(errorEvent('Cut', 'off')))).status).toBe(200)
  // A large sparse file, so that the backup still runs when it is killed. It takes no space.
  const large = join(product.data, 'blobs', 'attachments', 'large')
  mkdirSync(join(large, '..'), { recursive: true })
  writeFileSync(large, '')
  truncateSync(large, 512 * 1024 * 1024)
  const [work, part] = [join(product.data, 'backup'), join(folder, '.cut.tar.part')]
  // Without the product, the command would make the backup itself. A power cut ends both.
  const words = [join(root, 'src/processes/main.ts'), 'backup', join(folder, 'cut.tar'), '--data', product.data]
  const asked = spawn(process.execPath, words, { stdio: 'ignore' })
  await until('half an archive', 30_000, async () => existsSync(part))
  asked.kill('SIGKILL')
  await product.stop('SIGKILL')
  expect([existsSync(part), readdirSync(work).length > 0]).toEqual([true, true])

  const restarted = await start({ data: product.data })
  running.push(restarted)
  await ready(restarted)
  await until('a swept folder', 30_000, async () => readdirSync(work).length === 0)
  expect([existsSync(part), existsSync(large)]).toEqual([false, true])

  const files = ['a', 'b', 'c'].map((name) => join(folder, `three-${name}.tar`))
  const results = await Promise.all(files.map((file) => mishap('backup', file, '--data', restarted.data)))
  const refused = results.filter((result) => result.status === 1)
  expect([results.filter((result) => result.status === 0).length, refused.length]).toEqual([1, 2])
  for (const result of refused) expect(result.text).toContain('BACKUP_RUNNING: A backup to')
  expect(files.filter(existsSync).length).toBe(1)
  expect(readdirSync(work)).toEqual([])
  rmSync(large)
}, 180_000)

test.concurrent('verify names what is wrong and exits 1', async () => {
  const product = await start()
  running.push(product)
  const project = await bootstrap(product)
  await ready(product)
  const envelope = `${envelopeOf(errorEvent('Broken', 'soon'))}\n{"type":"attachment","filename":"a.txt","length":3}\nabc\n`
  expect((await ingest(product, project, envelope)).status).toBe(200)
  await until(
    'the event',
    30_000,
    async () =>
      ((await mishap('verify', '--json', '--data', product.data)).json as { checks: { looked: number }[] }).checks[1]
        ?.looked === 1,
  )
  await product.stop()
  rmSync(join(product.data, 'blobs'), { recursive: true })
  const found = await mishap('verify', '--json', '--data', product.data)
  expect([
    found.status,
    (found.json as { ok: boolean; checks: { name: string; wrong: string[] }[] }).checks.filter(
      (check) => check.wrong.length,
    ),
  ]).toMatchObject([1, [{ name: 'blobs', wrong: [expect.stringContaining('is missing')] }]])
}, 120_000)

test.concurrent('a restore that was cut off is not started, and a folder in use is not restored into', async () => {
  const data = join(folder, 'cut')
  const broken = join(folder, 'broken.tar')
  writeFileSync(broken, 'no archive at all'.repeat(100))
  expect(await mishap('restore', broken, '--data', data)).toMatchObject({
    status: 1,
    text: expect.stringContaining('not a Mishap backup'),
  })
  writeFileSync(join(data, 'restoring'), '')
  expect(await mishap('start', '--port', '1', '--data', data)).toMatchObject({
    status: 1,
    text: expect.stringContaining('START_HALF_RESTORED'),
  })
  expect(await mishap('verify', '--data', join(folder, 'nothing'))).toMatchObject({
    status: 1,
    text: expect.stringContaining('holds no Mishap data'),
  })
  expect(await mishap('backup')).toMatchObject({ status: 64, text: expect.stringContaining('takes one file') })
})

/** Access to data of an earlier commit: 25 events in 7 issues, each with an attachment (fixtures/data/README.md). */
const earlier = { token: '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', org: 'acme' }

test.concurrent('a data folder of an earlier version is tried on a copy, then opens with all it holds', async () => {
  const data = join(folder, 'earlier')
  mkdirSync(data)
  await extract({ file: join(root, 'fixtures/data/schema-1.tar.gz'), cwd: data })
  const rehearsed = await mishap('upgrade', '--rehearse', '--json', '--data', data)
  expect(rehearsed).toMatchObject({ status: 0, json: { ok: true } })
  const product = await start({ data })
  running.push(product)
  await ready(product, 60_000)
  const range = 'start=2026-11-20T00:00:00Z&end=2026-11-23T00:00:00Z'
  const answer = await api(product, earlier, `/organizations/acme/issues/?query=&${range}`)
  // Ask right when it reports ready: once it did so before the migration of the tables had finished.
  expect(answer.status, answer.text).toBe(200)
  const issues = answer.json as Issue[]
  expect(issues.map((issue) => Number(issue.lifetime.count)).sort()).toEqual([3, 3, 3, 4, 4, 4, 4])
  expect((await mishap('verify', '--json', '--data', data)).json).toMatchObject({ ok: true })
}, 120_000)

test.concurrent('a data folder of a newer version names the version that wrote it', async () => {
  const data = join(folder, 'newer')
  mkdirSync(join(data, 'meta'), { recursive: true })
  const database = new DatabaseSync(join(data, 'meta', 'mishap.sqlite'))
  database.exec(
    "create table version (number integer primary key, applied_ms integer); insert into version values (999, 0); create table value (name text primary key, text text not null); insert into value values ('program', '9.8.7')",
  )
  database.close()
  expect(await mishap('verify', '--data', data)).toMatchObject({
    status: 1,
    text: expect.stringMatching(/START_NEWER_DATA.*9\.8\.7/),
  })
})
