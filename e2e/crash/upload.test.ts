// kill -9 during an upload: stored chunks are not requested again, partial ones leave no file, and one bundle results.
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { archiveOf, chunksOf, sha1Of } from '../../src/operations/archive.cases.ts'
import { chunkBytesMax } from '../../src/wire/upload.ts'
import { api, bootstrap, discard, type Product, type Project, ready, root, start, until } from '../product.ts'

const running: { product?: Product } = {}
afterAll(() => running.product && discard(running.product))

const O = '/organizations/half'
const files = Array.from({ length: 4 }, (_, i) => ({ name: `files/_/_/${i}.js`, body: randomBytes(5 * 1024 ** 2) }))
const named = Object.fromEntries(files.map(({ name }, i) => [name, { type: 'minified_source', url: `~/${i}.js` }]))
const bytes = archiveOf([...files, { name: 'manifest.json', body: JSON.stringify({ files: named }) }])
const chunks = chunksOf(bytes, chunkBytesMax)
const names = chunks.map(sha1Of)

async function begun(data?: string): Promise<Product> {
  const product = await start(data === undefined ? {} : { data })
  running.product = product
  await ready(product)
  return product
}

const ask = async (product: Product, project: Project) =>
  (
    await api(product, project, `${O}/artifactbundle/assemble/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ checksum: sha1Of(bytes), chunks: names, projects: ['web'], version: 'half@1' }),
    })
  ).json as { state: string; missingChunks: string[] }

const formOf = (some: readonly Buffer[]) => {
  const form = new FormData()
  for (const chunk of some) form.append('file', new Blob([new Uint8Array(chunk)]), sha1Of(chunk))
  return form
}
const send = async (product: Product, project: Project, some: readonly Buffer[]) =>
  (await api(product, project, `${O}/chunk-upload/`, { method: 'POST', body: formOf(some) })).status

/** Sends the first half of a form and then nothing. The request ends when the product stops. */
async function sendHalf(product: Product, project: Project, some: readonly Buffer[]): Promise<void> {
  const form = new Request('http://x', { method: 'POST', body: formOf(some) })
  const type = form.headers.get('content-type') ?? ''
  const whole = Buffer.from(await form.arrayBuffer())
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(whole.subarray(0, whole.length / 2)),
  })
  const headers = { authorization: `Bearer ${project.token}`, 'content-type': type }
  const init: RequestInit & { duplex: 'half' } = { method: 'POST', headers, body, duplex: 'half' }
  void fetch(`${product.url}/api/0${O}/chunk-upload/`, init).catch(() => undefined)
  // Process main buffers it in memory or in an unlinked file. Process app receives only complete bodies.
  await pause(500)
  expect(chunkFiles(product).filter((name) => name.endsWith('~'))).toEqual([])
}

const chunkFiles = ({ data }: Product): string[] =>
  readdirSync(join(data, 'blobs/chunks'), { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('/'))

test('a bundle whose upload was killed twice goes on where it stood', async () => {
  const first = await begun()
  const project = bootstrap(first, 'half', 'web')
  expect((await ask(first, project)).missingChunks).toEqual(names)
  expect(await send(first, project, chunks.slice(0, 1))).toBe(200)
  await sendHalf(first, project, chunks.slice(1, 2))
  await first.stop('SIGKILL')

  const second = await begun(first.data)
  expect(await ask(second, project)).toMatchObject({ state: 'not_found', missingChunks: names.slice(1) })
  expect(chunkFiles(second).map((name) => name.split('/').at(-1))).toEqual(names.slice(0, 1))
  expect(await send(second, project, chunks.slice(1))).toBe(200)
  void ask(second, project).catch(() => undefined)
  await pause(20)
  await second.stop('SIGKILL')

  const third = await begun(first.data)
  await until('the bundle', 30_000, async () => (await ask(third, project)).state === 'ok')
  const found = (await api(third, project, '/projects/half/web/files/artifact-bundles/')).json
  expect(found).toMatchObject([{ fileCount: 4, associations: [{ release: 'half@1' }], size: bytes.length }])
  await third.stop()
  const words = [join(root, 'src/processes/main.ts'), 'verify', '--json', '--data', first.data]
  expect(JSON.parse(execFileSync(process.execPath, words, { encoding: 'utf8' }))).toMatchObject({ ok: true })
})
