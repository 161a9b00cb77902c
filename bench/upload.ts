// Memory for a bundle of 500 MB, sent like sentry-cli: zipped chunks of 8 MiB, 32 MiB per request, 8 parallel requests.
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { api, bootstrap, discard, type Product, type Project, ready, start } from '../e2e/product.ts'
import { archiveOf, chunksOf, sha1Of } from '../src/operations/archive.cases.ts'
import { chunkBytesMax, chunkConcurrency, chunkRequestBytesMax } from '../src/wire/upload.ts'
import { pssOf, type Row } from './measure.ts'

const MB = 1_000_000
const bundleBytes = 500 * MB
const pollMs = 250
/** Two minutes after the start, the idle engine grows by 87 MB. */
const settleMs = 150_000

/** A bundle of scripts with maps that is `bytes` long when packed. No two bundles share a chunk. */
function bundleOf(bytes: number): Buffer {
  const pairs = Array.from({ length: 4 }, () => ({
    script: Buffer.from(randomBytes(0.75 * MB).toString('base64')),
    map: Buffer.from(JSON.stringify({ version: 3, mappings: randomBytes(3 * MB).toString('base64') })),
  }))
  const count = Math.ceil(bytes / (3.75 * MB))
  const files: { name: string; body: Buffer }[] = []
  const named: Record<string, object> = {}
  for (let i = 0; i < count; i++) {
    const pair = pairs[i % pairs.length]
    if (!pair) break
    for (const [name, type, body] of [
      [`files/_/_/${i}.js`, 'minified_source', pair.script],
      [`files/_/_/${i}.js.map`, 'source_map', pair.map],
    ] as const) {
      files.push({ name, body })
      named[name] = { type, url: name.replace('files/_/_', '~'), headers: {} }
    }
  }
  return archiveOf([...files, { name: 'manifest.json', body: JSON.stringify({ org: 'bench', files: named }) }])
}

/** Sends `bytes` in chunks and polls until they are assembled. Compresses the chunks before it calls `began`. */
async function upload(product: Product, project: Project, bytes: Buffer, began: () => void): Promise<void> {
  const chunks = chunksOf(bytes, chunkBytesMax).map((chunk) => ({
    name: sha1Of(chunk),
    body: gzipSync(chunk, { level: 1 }),
  }))
  const requests: (typeof chunks)[] = []
  for (const chunk of chunks) {
    const last = requests.at(-1)
    const size = last?.reduce((sum, chunk) => sum + chunk.body.length, 0) ?? Number.POSITIVE_INFINITY
    if (last && size + chunk.body.length <= chunkRequestBytesMax) last.push(chunk)
    else requests.push([chunk])
  }
  const poll = async () => {
    const { json, text } = await api(product, project, '/organizations/bench/artifactbundle/assemble/', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ checksum: sha1Of(bytes), chunks: chunks.map((chunk) => chunk.name), projects: ['web'] }),
    })
    const { state } = json as { state: string }
    if (state === 'error') throw new Error(text)
    return state
  }
  const send = async () => {
    for (let request = requests.shift(); request; request = requests.shift()) {
      const form = new FormData()
      for (const { name, body } of request) form.append('file_gzip', new Blob([new Uint8Array(body)]), name)
      const { status, text } = await api(product, project, '/organizations/bench/chunk-upload/', {
        method: 'POST',
        body: form,
      })
      if (status !== 200) throw new Error(`${status} ${text}`)
    }
  }
  began()
  if ((await poll()) !== 'not_found') throw new Error('the bundle is there already')
  await Promise.all(Array.from({ length: chunkConcurrency }, send))
  while ((await poll()) !== 'ok') await pause(1000)
}

/** Measures the memory that an upload of `bytes` adds to all processes, in MB, and its time in s. */
async function added(
  product: Product,
  project: Project,
  size: number,
): Promise<{ mb: number; seconds: number; each: string }> {
  const bytes = bundleOf(size)
  const pid = product.child.pid ?? 0
  const before = { total: 0, each: '' }
  const peak = { total: 0, each: '' }
  const state = { began: 0 }
  const running = upload(product, project, bytes, () => {
    Object.assign(before, pssOf(pid, 'Pss_Anon'))
    state.began = performance.now()
  }).then(() => true)
  while (!(await Promise.race([running, pause(pollMs)]))) {
    const now = pssOf(pid, 'Pss_Anon')
    if (state.began > 0 && now.total > peak.total) Object.assign(peak, now)
  }
  return {
    mb: peak.total - before.total,
    seconds: (performance.now() - state.began) / 1000,
    each: `${before.each}; at the peak ${peak.each}`,
  }
}

/** Rows for the memory of the first upload after the start, and of the next one. */
export async function benchUpload(quick: boolean): Promise<Row[]> {
  const product = await start({ env: { MISHAP_LOG_LEVEL: 'warn' } })
  const project = bootstrap(product, 'bench', 'web')
  await ready(product)
  await api(product, project, '/organizations/bench/issues/?query=')
  await pause(quick ? 10_000 : settleMs)
  const rows: Row[] = []
  for (const which of ['the first', 'the next']) {
    const { mb, seconds, each } = await added(product, project, bundleBytes)
    rows.push({
      what: `memory that ${which} bundle of 500 MB adds to all processes (anonymous PSS)`,
      goal: 'less than 100 MB',
      result: `${mb} MB (${each}); ${seconds.toFixed(0)} s`,
      met: mb < 100,
    })
  }
  await discard(product)
  return rows
}
