import { randomUUID } from 'node:crypto'
import { runInNewContext } from 'node:vm'
import { build } from 'esbuild'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { archiveOf, sha1Of } from '../../src/operations/archive.cases.ts'
import { api, bootstrap, envelopeOf, errorEvent, ingest, type Project, until } from '../product.ts'

// Uploads a build like build tools do and runs its failing script. The product must show the place in the sources.

const product = inject('product')
const source = `class Cart {
  items: number[] = []
  totalOf(rate: number): number {
    if (this.items.length === 0) throw new RangeError('the cart is empty')
    return this.items.length * rate
  }
}

function checkout(cart: Cart): number {
  const total = cart.totalOf(1.19)
  return total + 1
}

(globalThis as { start?: () => number }).start = () => checkout(new Cart())
`

type Frame = {
  function: string
  filename: string
  absPath: string
  lineNo: number
  context: [number, string][]
  inApp: boolean
  data: object
}
type Exception = { stacktrace: { frames: Frame[] }; rawStacktrace: { frames: Frame[] } | null }
const state: { project?: Project; script?: string; map?: string } = {}

beforeAll(async () => {
  state.project = bootstrap(product, 'mapped', 'shop', 'javascript')
  const { outputFiles } = await build({
    stdin: { contents: source, sourcefile: 'src/cart.ts', loader: 'ts' },
    bundle: true,
    minify: true,
    sourcemap: 'external',
    write: false,
    outfile: '/out/app.js',
    target: 'es2022',
  })
  state.script = outputFiles.find(({ path }) => path.endsWith('.js'))?.text ?? ''
  state.map = outputFiles.find(({ path }) => path.endsWith('.map'))?.text ?? ''
})

function project(): Project {
  if (!state.project) throw new Error('no project')
  return state.project
}

/** Runs the script and returns the frames of its failure, oldest call first, as an SDK parses them from the stack. */
function framesOf(script: string, url: string): object[] {
  const inner = { start: (): unknown => undefined }
  runInNewContext(script, inner, { filename: url })
  try {
    inner.start()
  } catch (error) {
    const lines = String((error as Error).stack).split('\n')
    const frames = lines.flatMap((line) => {
      const at = /at (?:(.+) \()?(\S+):(\d+):(\d+)\)?$/.exec(line)
      return at?.[2] === url
        ? [{ function: at[1], filename: url, lineno: Number(at[3]), colno: Number(at[4]), in_app: true }]
        : []
    })
    return frames.reverse()
  }
  throw new Error('the script did not fail')
}

async function upload(files: { name: string; body: string }[], manifest: object, more: object): Promise<void> {
  const bytes = archiveOf([{ name: 'manifest.json', body: JSON.stringify(manifest) }, ...files])
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(bytes)]), sha1Of(bytes))
  expect(
    (await api(product, project(), '/organizations/mapped/chunk-upload/', { method: 'POST', body: form })).status,
  ).toBe(200)
  const body = JSON.stringify({ checksum: sha1Of(bytes), chunks: [sha1Of(bytes)], projects: ['shop'], ...more })
  await until('the bundle', 20_000, async () => {
    const path = '/organizations/mapped/artifactbundle/assemble/'
    const headers = { 'content-type': 'application/json' }
    const { json } = await api(product, project(), path, { method: 'POST', headers, body })
    return (json as { state: string }).state === 'ok'
  })
}

/** Sends an event and returns its exception from the API. */
async function shown(event: ReturnType<typeof errorEvent>): Promise<Exception> {
  expect((await ingest(product, project(), envelopeOf(event))).status).toBe(200)
  const found = await until('the event', 20_000, async () => {
    const { status, json } = await api(product, project(), `/projects/mapped/shop/events/${event.event_id}/`)
    return status === 200 && (json as { entries: { type: string; data: { values: Exception[] } }[] })
  })
  const exception = found.entries.find(({ type }) => type === 'exception')?.data.values[0]
  if (!exception) throw new Error('no exception')
  return exception
}

const failed = (frames: object[], more: object) =>
  errorEvent('RangeError', 'the cart is empty', {
    exception: { values: [{ type: 'RangeError', value: 'the cart is empty', stacktrace: { frames } }] },
    ...more,
  })

const places = (frames: readonly Frame[]) =>
  frames.map((frame) => [frame.function, frame.filename, frame.lineNo, frame.inApp])
const want = [
  ['globalThis.start', 'src/cart.ts', 14, true],
  ['checkout', 'src/cart.ts', 10, true],
  ['Cart.totalOf', 'src/cart.ts', 4, true],
]

describe('frames of a minified script', () => {
  test('without any upload they stay as they came', async () => {
    const url = 'https://shop.test/assets/none.js'
    const { stacktrace, rawStacktrace } = await shown(failed(framesOf(state.script ?? '', url), { release: 'shop@1' }))
    expect(stacktrace.frames.map((frame) => [frame.absPath, frame.data])).toEqual([1, 2, 3].map(() => [url, null]))
    expect(rawStacktrace).toBeNull()
  })

  test('by debug id, without a release', async () => {
    const debugId = randomUUID()
    const script = `${state.script}\n//# debugId=${debugId}\n`
    const headers = { 'debug-id': debugId }
    const files = {
      'files/_/_/a.js': { type: 'minified_source', url: '~/a.js', headers: { ...headers, sourcemap: 'a.js.map' } },
      'files/_/_/a.js.map': { type: 'source_map', url: '~/a.js.map', headers },
    }
    const contents = [
      { name: 'files/_/_/a.js', body: script },
      { name: 'files/_/_/a.js.map', body: state.map ?? '' },
    ]
    await upload(contents, { debug_id: randomUUID(), org: 'mapped', files }, {})
    const url = 'https://shop.test/assets/with-id.js'
    const images = [{ type: 'sourcemap', code_file: url, debug_id: debugId.toUpperCase() }]
    const { stacktrace, rawStacktrace } = await shown(failed(framesOf(script, url), { debug_meta: { images } }))
    expect(places(stacktrace.frames)).toEqual(want)
    expect(stacktrace.frames[2]?.context.find(([line]) => line === 4)?.[1]).toContain(
      "throw new RangeError('the cart is empty')",
    )
    expect(stacktrace.frames[2]?.data).toEqual({
      symbolicated: true,
      sourcemap: url,
      resolvedWith: 'debug-id',
      reason: null,
    })
    expect(rawStacktrace?.frames.map((frame) => [frame.absPath, frame.lineNo])).toEqual([1, 2, 3].map(() => [url, 1]))
    expect(rawStacktrace?.frames[2]?.context[0]?.[1]).toContain('the cart is empty')
  })

  test('by URL in the same release and dist only, and otherwise with the reason', async () => {
    const script = `${state.script}\n//# sourceMappingURL=by-url.js.map\n`
    const files = {
      'files/_/_/by-url.js': { type: 'minified_source', url: '~/assets/by-url.js', headers: {} },
      'files/_/_/by-url.js.map': { type: 'source_map', url: '~/assets/by-url.js.map', headers: {} },
    }
    const contents = [
      { name: 'files/_/_/by-url.js', body: script },
      { name: 'files/_/_/by-url.js.map', body: state.map ?? '' },
    ]
    const version = 'shop@2.0.0'
    await upload(contents, { org: 'mapped', release: version, dist: 'eu', files }, { version, dist: 'eu' })
    const url = 'https://shop.test/assets/by-url.js?v=77'
    const frames = framesOf(script, url)
    const { stacktrace } = await shown(failed(frames, { release: version, dist: 'eu' }))
    expect(places(stacktrace.frames)).toEqual(want)
    expect(stacktrace.frames[0]?.data).toMatchObject({
      resolvedWith: 'release',
      sourcemap: 'https://shop.test/assets/by-url.js.map',
    })
    const other = await shown(failed(frames, { release: version }))
    expect(other.stacktrace.frames.map((frame) => frame.data)).toEqual(
      [1, 2, 3].map(() => ({ symbolicated: false, sourcemap: null, resolvedWith: null, reason: 'file_missing' })),
    )
    expect(other.rawStacktrace).toBeNull()
  })
})
