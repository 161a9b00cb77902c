// Builds a small minified application whose script really fails, and uploads its source map like build tools do.
import { randomUUID } from 'node:crypto'
import { runInNewContext } from 'node:vm'
import { build } from 'esbuild'
import { archiveOf, sha1Of } from '../src/operations/archive.cases.ts'
import { api, errorEvent, type Project, until } from './product.ts'

/** An application with two failures. A parameter selects one. */
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

function search(text: string): number {
  if (text === '') throw new RangeError('the cart is empty')
  return text.length
}

(globalThis as { start?: (kind: string) => number }).start = (kind) => kind === 'search' ? search('') : checkout(new Cart())
`

type Kind = 'cart' | 'search'
export type Build = { debugId: string; url: string; script: string; map: string }

/**
 * Builds the application from the same source with a new debug id and URL. With `isShort` false, names stay long.
 * Without source maps, the failures of such a build belong to other groups.
 */
export async function buildOf(name: string, isShort = true): Promise<Build> {
  const debugId = randomUUID()
  const { outputFiles } = await build({
    stdin: { contents: source, sourcefile: 'src/cart.ts', loader: 'ts' },
    bundle: true,
    minifyWhitespace: true,
    minifyIdentifiers: isShort,
    sourcemap: 'external',
    write: false,
    outfile: '/out/app.js',
    target: 'es2022',
  })
  const text = (ending: string) => outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? ''
  return {
    debugId,
    url: `https://shop.test/assets/${name}.js`,
    map: text('.map'),
    script: `${text('.js')}\n//# debugId=${debugId}\n`,
  }
}

/** Runs the script and returns the frames of its failure, oldest call first, as an SDK parses them from the stack. */
function framesOf({ script, url }: Build, kind: Kind): object[] {
  const inner = { start: (_kind: string): unknown => undefined }
  runInNewContext(script, inner, { filename: url })
  try {
    inner.start(kind)
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

/** An event of the failure with the debug id of its build. */
export function failedEvent(build: Build, kind: Kind = 'cart', more: Record<string, unknown> = {}) {
  const images = [{ type: 'sourcemap', code_file: build.url, debug_id: build.debugId }]
  const stacktrace = { frames: framesOf(build, kind) }
  return errorEvent('RangeError', 'the cart is empty', {
    debug_meta: { images },
    exception: { values: [{ type: 'RangeError', value: 'the cart is empty', stacktrace }] },
    ...more,
  })
}

/** Uploads a build as one artifact bundle. Resolves when the product has assembled it. */
export async function uploadBuild(product: { url: string }, project: Project, build: Build): Promise<void> {
  const headers = { 'debug-id': build.debugId }
  const files = {
    'files/_/_/a.js': { type: 'minified_source', url: '~/a.js', headers: { ...headers, sourcemap: 'a.js.map' } },
    'files/_/_/a.js.map': { type: 'source_map', url: '~/a.js.map', headers },
  }
  const bytes = archiveOf([
    { name: 'manifest.json', body: JSON.stringify({ debug_id: randomUUID(), org: project.org, files }) },
    { name: 'files/_/_/a.js', body: build.script },
    { name: 'files/_/_/a.js.map', body: build.map },
  ])
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(bytes)]), sha1Of(bytes))
  const sent = await api(product, project, `/organizations/${project.org}/chunk-upload/`, {
    method: 'POST',
    body: form,
  })
  if (sent.status !== 200) throw new Error(`the chunk was answered ${sent.status}: ${sent.text.slice(0, 300)}`)
  const body = JSON.stringify({ checksum: sha1Of(bytes), chunks: [sha1Of(bytes)], projects: [project.slug] })
  await until('the bundle', 20_000, async () => {
    const path = `/organizations/${project.org}/artifactbundle/assemble/`
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
    const { json } = await api(product, project, path, init)
    return (json as { state: string }).state === 'ok'
  })
}

type Run = {
  project: { slug: string }
  dateEnded: string | null
  total: number
  looked: number
  mapped: number
  moved: number
  issues: number
  error: string
}

/** Reprocessing runs, newest first. */
export const runsOf = async (product: { url: string }, project: Project): Promise<Run[]> =>
  ((await api(product, project, `/organizations/${project.org}/regroupings/`)).json as { runs: Run[] }).runs
