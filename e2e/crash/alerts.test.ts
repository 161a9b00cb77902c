// kill -9 of all processes between the decision about an alert and the answer of its receiver.
import { rmSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { pathToFileURL } from 'node:url'
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
  start,
  until,
} from '../product.ts'
import type { AlertStep } from './alert-steps.ts'

/** `ALERT_ROUNDS=100` for a long run. */
const rounds = Number(process.env.ALERT_ROUNDS ?? 5)
/** `received`: the receiver has the message, and the product does not know it. */
const moments: (AlertStep | 'received')[] = ['delivery-written', 'commit-begins', 'commit-done', 'received']
/** More messages to one receiver would become summaries, and more incidents of one rule a flood. */
const roundsOfRule = 4
const roundMs = 30_000

type Arrival = { id: string; titles: string[] }
const arrivals: Arrival[] = []
const state: { product?: Product; killsOnArrival: boolean } = { killsOnArrival: false }

const receiver = http.createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const body = JSON.parse(Buffer.concat(chunks).toString()) as { issues: { title: string }[] }
    const id = String(request.headers['x-mishap-delivery'])
    arrivals.push({ id, titles: body.issues.map(({ title }) => title) })
    if (!state.killsOnArrival) return void response.end('ok')
    state.killsOnArrival = false
    void state.product?.stop('SIGKILL')
  })
})

afterAll(async () => {
  receiver.closeAllConnections()
  receiver.close()
  if (state.product) await discard(state.product)
})

const isGone = ({ child }: Product) => child.exitCode !== null || child.signalCode !== null
const idsOfType = (type: string) =>
  arrivals.filter(({ titles }) => titles.some((title) => title.startsWith(type))).map(({ id }) => id)

test(`${rounds} kills between decision and answer: each message arrives, and a repeat has the id of the first`, {
  timeout: (rounds + 2) * roundMs,
}, async () => {
  await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done))
  const target = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  const env = (step: string, markFile: string) => ({
    MISHAP_OUTGOING_NETWORKS: '127.0.0.0/8',
    NODE_OPTIONS: `--import=${pathToFileURL(new URL('./alert-steps.ts', import.meta.url).pathname)}`,
    CRASH_STEP: step,
    CRASH_DONE: markFile,
  })
  let product = await start({ env: { MISHAP_OUTGOING_NETWORKS: '127.0.0.0/8' } })
  state.product = product
  const { data, port } = product
  const markFile = `${data}.reached`
  const project = bootstrap(product, 'kill', 'web')
  const post = async (path: string, body: object) => {
    const answer = await api(product, project, `/organizations/kill/${path}/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect({ path, status: answer.status, text: answer.status === 201 ? '' : answer.text }).toEqual({
      path,
      status: 201,
      text: '',
    })
    return answer.json as { id: string; channel: { id: string } }
  }
  let made: { rule: string; channel: string } | undefined
  /** A rule with a receiver of its own. */
  const renew = async () => {
    if (made) {
      await api(product, project, `/organizations/kill/alerts/${made.rule}/`, { method: 'DELETE' })
      await api(product, project, `/organizations/kill/notification-channels/${made.channel}/`, { method: 'DELETE' })
    }
    const { channel } = await post('notification-channels', {
      kind: 'webhook',
      name: 'Hook',
      target,
      subscription: 'rules',
    })
    const rule = await post('alerts', {
      name: 'New issues',
      issue: { when: [{ type: 'new' }] },
      actions: [{ type: 'channel', channel: channel.id }],
    })
    made = { rule: rule.id, channel: channel.id }
  }
  /** Waits for the message of a round. One whose answer was lost comes twice, and must before its channel is deleted. */
  const arrived = (round: number) => {
    const count = moments[round % moments.length] === 'received' ? 2 : 1
    const type = `Alert${round}Error`
    return until(`${count} of ${type}`, roundMs, async () => idsOfType(type).length >= count)
  }
  for (let round = 0; round < rounds; round++) {
    const moment = moments[round % moments.length] ?? 'received'
    const type = `Alert${round}Error`
    await ready(product)
    if (round > 0) await arrived(round - 1)
    if (round % roundsOfRule === 0) await renew()
    if (round === 0) {
      await product.stop()
      writeFileSync(markFile, '')
      product = await start({ data, port, env: env(moment, markFile) })
      state.product = product
      await ready(product)
    }
    const killed = product
    if (moment === 'received') state.killsOnArrival = true
    else rmSync(markFile)
    expect((await ingest(product, project, envelopeOf(errorEvent(type)))).status).toBe(200)
    await until(`the kill at ${moment}`, roundMs, async () => isGone(killed))
    await killed.stop('SIGKILL')
    writeFileSync(markFile, '')
    product = await start({ data, port, env: env(moments[(round + 1) % moments.length] ?? '', markFile) })
    state.product = product
  }
  const types = Array.from({ length: rounds }, (_, round) => `Alert${round}Error`)
  await arrived(rounds - 1)
  const ids = types.map((type) => [...new Set(idsOfType(type))])
  expect(ids.map((of) => of.length)).toEqual(types.map(() => 1))
  expect(new Set(ids.flat()).size).toBe(rounds)
})
