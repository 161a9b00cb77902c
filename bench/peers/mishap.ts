// Mishap itself, as a peer among the others: one process group, embedded stores.
import { join } from 'node:path'
import { api, bootstrap, discard, ready, start } from '../../e2e/product.ts'
import { endWithBench, type Peer, type RunningPeer } from './peer.ts'

// The peers keep everything as well.
const env = { MISHAP_DISK_BUDGET: 'off' }

/** Starts the product and adds it to what ends with the bench. */
async function startProduct(options: { data?: string; port?: number } = {}) {
  const product = await start({ ...options, env })
  return { product, forget: endWithBench(product.child.pid ?? 0) }
}

async function startMishap(): Promise<RunningPeer> {
  const state = await startProduct()
  const { data, port } = state.product
  const project = bootstrap(state.product, 'bench', 'web')
  await ready(state.product)
  return {
    port,
    path: `/api/${project.id}/envelope/?sentry_key=${project.key}&sentry_version=7`,
    // The journal keeps its current segment, at most 64 MB, whether its envelopes are stored or not.
    stores: ['events', 'meta', 'blobs'].map((name) => join(data, name)),
    pids: () => [state.product.child.pid ?? 0],
    stored: async () => {
      const { json } = await api(state.product, project, '/status/')
      return (json as { ledger: { stored: number } }).ledger.stored
    },
    kill: async () => {
      state.forget()
      await state.product.stop('SIGKILL')
    },
    startAgain: async () => {
      Object.assign(state, await startProduct({ data, port }))
      await ready(state.product, 60_000)
    },
    discard: async () => {
      state.forget()
      await discard(state.product)
    },
  }
}

export const mishap: Peer = {
  name: 'Mishap',
  durability: 'The envelope is in the journal, and the journal is synced to disk.',
  survives: 'power cut',
  lifted: 'disk budget off; there is no rate limit by default',
  install: async () => 'this tree',
  start: startMishap,
}
