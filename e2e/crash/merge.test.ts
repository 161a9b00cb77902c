import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { api, bootstrap, discard, type Issue, idsOf, type Product, start, until } from '../product.ts'
import { faultsOf, send, settled } from './traffic.ts'

type Listed = Issue & { shortId: string }
type Hash = { id: string; mergedFrom: string | null; events: number }

const types = ['MergedError', 'OtherError']
const running: Product[] = []
afterAll(() => Promise.all(running.map(discard)))

test('merge and unmerge amid events, each with a kill -9 at once: every event is where its issue is', async () => {
  let product = await start()
  const project = bootstrap(product, 'crash', 'web')
  const O = `/organizations/${project.org}`
  const issuesOf = async (query: string) =>
    (await api(product, project, `${O}/issues/?query=${query}&statsPeriod=24h`)).json as Listed[]
  const killed = async () => {
    await product.stop('SIGKILL')
    product = await start({ data: product.data, port: product.port })
  }

  const traffic = send(product, project, types, 4)
  const [first, other] = await until('two issues', 30_000, async () => {
    const found = await Promise.all(types.map(issuesOf))
    return found.every((list) => list.length === 1) && found.flat()
  })
  const merged = await api(product, project, `${O}/issues/?id=${first?.id}&id=${other?.id}`, {
    method: 'PUT',
    body: JSON.stringify({ merge: 1 }),
  })
  const { parent } = (merged.json as { merge: { parent: string } }).merge
  const gone = [first, other].find((item) => item?.id !== parent)
  await killed()
  await pause(1000)
  await traffic.stop()
  await settled(product, project)
  const all = await idsOf(product, project, parent)
  const there = new Set(all)
  expect(there.size).toBe(all.length)
  expect(traffic.acknowledged.filter((event) => !there.has(event.id))).toEqual([])
  // An event can be on disk without an answer, if the kill came in between.
  expect(there.size - traffic.acknowledged.length).toBeLessThanOrEqual(traffic.refused[0] ?? 0)
  const [entry] = await issuesOf(types.join('%20OR%20'))
  expect([entry?.id, Number(entry?.lifetime.count), Number(entry?.count)]).toEqual([parent, all.length, all.length])
  expect((await api(product, project, `${O}/shortids/${gone?.shortId}/`)).json).toMatchObject({ groupId: parent })

  const more = send(product, project, types, 4)
  await pause(500)
  const hashes = (await api(product, project, `${O}/issues/${parent}/hashes/`)).json as Hash[]
  const leaving = hashes.filter((hash) => hash.mergedFrom === gone?.shortId)
  expect([leaving.length > 0, hashes.length > leaving.length]).toEqual([true, true])
  const path = `${O}/issues/${parent}/hashes/?${leaving.map((hash) => `id=${hash.id}`).join('&')}`
  const taken = await api(product, project, path, { method: 'DELETE' })
  expect([taken.status, taken.json]).toMatchObject([200, { made: { shortId: gone?.shortId } }])
  await killed()
  await pause(500)
  await more.stop()
  running.push(product)
  expect(await faultsOf(product, project, types, [...traffic.acknowledged, ...more.acknowledged], true)).toEqual([])
  const issuesAfter = (await Promise.all(types.map(issuesOf))).flat()
  expect(issuesAfter.map((issue) => issue.shortId).sort()).toEqual([first?.shortId, other?.shortId].sort())
}, 120_000)
