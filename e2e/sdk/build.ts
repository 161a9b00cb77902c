import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { runNode, uploadEnv } from '../../scripts/shop.ts'
import { api, type Product, type Project, root, until } from '../product.ts'

/** The fields of a frame that these tests read. */
export type Frame = {
  function: string
  filename: string
  absPath: string
  lineNo: number
  context: [number, string][]
  inApp: boolean
  data: { symbolicated: boolean; resolvedWith: string | null; reason: string | null } | null
}
export type Failure = {
  release: string | undefined
  type: string
  frames: Frame[]
  raw: Frame[]
  /** Debug ids of the raw frames, innermost last. */
  debugIds: string[]
}

/** Copies a program from e2e/apps to a folder that git ignores. Node finds the packages of this checkout from there. */
export function copyOf(app: string, name: string): string {
  const folder = join(root, 'e2e/out', name)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(join(root, 'e2e/out'), { recursive: true })
  cpSync(join(root, 'e2e/apps', app), folder, { recursive: true })
  return folder
}

/** The environment for the plugins. It overrides release settings of this machine. */
export const settingsOf = (product: { url: string }, project: Project, release: string): Record<string, string> =>
  uploadEnv({ url: product.url, org: project.org, project: project.slug, token: project.token, release })

/** Like `runNode`, without the variables that vitest sets. */
export const run = (words: readonly string[], cwd: string, env: Record<string, string>): Promise<string> =>
  runNode(words, cwd, { ...clean(), ...env })

/** The environment without NODE_ENV and other variables of vitest, which would change the builds. */
export function clean(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(?:VITEST|VITE|NODE_ENV$|TEST$|DEV$|PROD$|MODE$)/.test(name),
  )
  return Object.fromEntries(own) as NodeJS.ProcessEnv
}

/** Files in a folder and its subfolders whose names end with `end`, with their texts. */
export function filesIn(folder: string, end: string): { path: string; text: string }[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((dirent) => dirent.isFile() && dirent.name.endsWith(end))
    .map((dirent) => join(dirent.parentPath, dirent.name))
    .map((path) => ({ path, text: readFileSync(path, 'utf8') }))
}

/** Serves a folder of scripts on its own port. `page` is the HTML if the folder has no index.html. */
export async function serve(folder: string, page: string): Promise<{ url: string; close(): void }> {
  const server = createServer((req, res) => {
    const { pathname } = new URL(req.url ?? '/', 'http://x')
    const file = join(folder, pathname === '/' ? 'index.html' : pathname)
    const isPage = pathname === '/'
    if (!isPage && !existsSync(file)) return void res.writeHead(404).end()
    res
      .writeHead(200, { 'content-type': isPage ? 'text/html' : 'text/javascript' })
      .end(existsSync(file) ? readFileSync(file) : page)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => void server.close() }
}

type Exception = { type: string; stacktrace: { frames: Frame[] }; rawStacktrace: { frames: Frame[] } | null }
type Event = {
  release: { version: string } | null
  entries: { type: string; data: { values: Exception[]; images: { code_file: string; debug_id: string }[] } }[]
}

/** The newest event of the issue with this title, from the API, once its source maps are read. */
export async function failureOf(product: Pick<Product, 'url'>, project: Project, title: string): Promise<Failure> {
  const O = `/organizations/${project.org}`
  const issue = await until(`the issue ${title}`, 30_000, async () => {
    const path = `${O}/issues/?query=&project=${project.id}`
    const found = (await api(product, project, path)).json as { id: string; title: string }[]
    return found.find((issue) => issue.title === title)
  })
  const read = async () => {
    const event = (await api(product, project, `${O}/issues/${issue.id}/events/latest/`)).json as Event
    const exception = event.entries.find(({ type }) => type === 'exception')?.data.values.at(-1)
    // A map that takes over 3 s to read is pending, and the event is mapped half a minute later (docs/sourcemaps.md).
    const isPending = exception?.stacktrace.frames.some(({ data }) => data?.reason === 'map_pending')
    return isPending ? undefined : { event, exception }
  }
  const { event, exception } = await until(`the map of ${title}`, 90_000, read)
  const images = event.entries.find(({ type }) => type === 'debugmeta')?.data.images ?? []
  const raw = exception?.rawStacktrace?.frames ?? []
  return {
    release: event.release?.version,
    type: exception?.type ?? '',
    frames: exception?.stacktrace.frames ?? [],
    raw,
    debugIds: raw.map((frame) => images.find((image) => image.code_file === frame.absPath)?.debug_id ?? ''),
  }
}

type Bundle = { bundleId: string; fileCount: number; associations: { release: string; dist: string | null }[] }
type BundleFile = { filePath: string; fileType: string; debugId: string | null }

/** All files of a project's bundles, with the release of each bundle. */
export async function uploaded(product: Pick<Product, 'url'>, project: Project) {
  const P = `/projects/${project.org}/${project.slug}/files/artifact-bundles/`
  const bundles = (await api(product, project, P)).json as Bundle[]
  const files = await Promise.all(
    bundles.map(async (bundle) => (await api(product, project, `${P}${bundle.bundleId}/files/`)).json as BundleFile[]),
  )
  return {
    releases: [...new Set(bundles.flatMap((bundle) => bundle.associations.map((association) => association.release)))],
    files: files.flat(),
  }
}
