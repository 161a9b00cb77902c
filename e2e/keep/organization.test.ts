import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import {
  api,
  bootstrap,
  discard,
  envelopeOf,
  errorEvent,
  ingest,
  type Product,
  type Project,
  ready,
  root,
  start,
  until,
} from '../product.ts'

const running: Product[] = []
afterAll(() => Promise.all(running.map(discard)))

const owner = 'owner@both.test'

/** The result of `mishap verify`, or undefined if it could not run. */
const verified = (data: string): Promise<{ ok: boolean } | undefined> =>
  new Promise((resolve) => {
    const words = [join(root, 'src/processes/main.ts'), 'verify', '--json', '--data', data]
    execFile(process.execPath, words, { encoding: 'utf8' }, (_error, stdout) => {
      resolve(stdout.startsWith('{') ? (JSON.parse(stdout) as { ok: boolean }) : undefined)
    })
  })

async function fill(product: Product, project: Project): Promise<void> {
  const file = '\n{"type":"attachment","filename":"a.txt","length":3}\nabc\n'
  for (let at = 0; at < 60; at++)
    expect((await ingest(product, project, envelopeOf(errorEvent(`Gone${at % 6}`)) + file)).status).toBe(200)
  await until('sixty events', 30_000, async () => {
    const issues = (await api(product, project, `/organizations/${project.org}/issues/?query=`)).json as {
      count: string
    }[]
    return issues.reduce((sum, issue) => sum + Number(issue.count), 0) === 60
  })
}

type Removal = { title: string; stage: string; events: number; files: number; error: string }

test('an organization that is being deleted goes on to its end through kill -9, and the other one stays', async () => {
  const product = await start()
  running.push(product)
  await ready(product)
  const gone = bootstrap(product, 'gone', 'web', 'javascript', owner)
  const stays = bootstrap(product, 'stays', 'web', 'javascript', owner)
  await fill(product, gone)
  await fill(product, stays)
  const deletion = api(product, gone, '/organizations/gone/', { method: 'DELETE' }).catch(() => undefined)
  // The removal has started: a part of the data is gone.
  let late = 0
  await until('the keys to end', 10_000, async () => {
    const { status } = await ingest(product, gone, envelopeOf(errorEvent()))
    if (status === 200) late++
    return status === 403
  })
  await product.stop('SIGKILL')
  await deletion

  const restarted = await start({ data: product.data, port: product.port })
  running.push(restarted)
  await ready(restarted)
  const removal = await until('the proof', 30_000, async () => {
    const [removal] = (await api(restarted, stays, '/users/me/removals/')).json as Removal[]
    return removal?.stage === 'done' && removal
  })
  expect(removal).toMatchObject({ title: 'gone', files: 60, error: '' })
  // Events accepted after the request are removed, or filtered in processing.
  expect(removal.events).toBeGreaterThanOrEqual(60)
  expect(removal.events).toBeLessThanOrEqual(60 + late)
  expect((await api(restarted, gone, '/organizations/gone/')).status).toBe(401) // its token is removed too
  expect((await ingest(restarted, gone, envelopeOf(errorEvent()))).status).toBe(403)
  const issues = (await api(restarted, stays, '/organizations/stays/issues/?query=')).json as { count: string }[]
  expect(issues.reduce((sum, issue) => sum + Number(issue.count), 0)).toBe(60)
  expect(await until('verify', 20_000, () => verified(restarted.data))).toMatchObject({ ok: true })
}, 120_000)
