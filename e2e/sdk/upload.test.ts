import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { api, bootstrap, envelopeOf, errorEvent, ingest, type Project, until } from '../product.ts'

// Runs the real sentry-cli, 3.x and 2.x, and the official bundler plugin against the product. Their binary comes in a
// separate npm package, which not every platform has.

const product = inject('product')
const folder = mkdtempSync(join(tmpdir(), 'mishap-upload-'))
const require = createRequire(import.meta.url)

/** The binary in the npm package for this platform, or undefined. */
function binaryOf(name: string): string | undefined {
  const { platform, arch } = process
  const system = platform === 'darwin' ? 'darwin' : `${platform}-${arch}`
  try {
    const from = createRequire(require.resolve(`${name}/package.json`))
    const home = dirname(from.resolve(`@sentry/cli-${system}/package.json`))
    return join(home, 'bin', platform === 'win32' ? 'sentry-cli.exe' : 'sentry-cli')
  } catch {
    return undefined
  }
}

const clients = [
  ['3', binaryOf('@sentry/cli')],
  ['2', binaryOf('@sentry/cli-2')],
] as const

const state: { project?: Project } = {}
function project(): Project {
  if (!state.project) throw new Error('no project')
  return state.project
}
beforeAll(() => {
  state.project = bootstrap(product, 'upload', 'shop', 'javascript')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const settings = (): Record<string, string> => ({
  SENTRY_URL: product.url,
  SENTRY_ORG: 'upload',
  SENTRY_PROJECT: 'shop',
  SENTRY_AUTH_TOKEN: project().token,
  SENTRY_LOAD_DOTENV: '0',
})

/** Runs a client in the test's folder. Returns its exit code and output. */
function run(file: string, words: readonly string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(file, words, { cwd: folder, env: { ...process.env, ...settings() } })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()))
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, output })))
}

/** Builds a small program. `name` makes the scripts of builds differ. */
async function buildFile(name: string): Promise<string> {
  const outfile = join(folder, name, 'app.js')
  writeFileSync(
    join(folder, `${name}.ts`),
    `export function totalOf(cart: { items: number[] }): number { return cart.items.length }\nconsole.log('${name}', totalOf({ items: [1] }))\n`,
  )
  await build({ entryPoints: [join(folder, `${name}.ts`)], outfile, bundle: true, minify: true, sourcemap: true })
  return outfile
}

type Uploaded = { uploadedRoutes: { releases: string[]; routes: string[] }[] }
type Bundle = { bundleId: string; fileCount: number; associations: { release: string; dist: string | null }[] }
const P = '/projects/upload/shop'
const bundles = async (query: string) =>
  (await api(product, project(), `${P}/files/artifact-bundles/?query=${encodeURIComponent(query)}`)).json as Bundle[]

describe.each(clients)('sentry-cli %s.x', (major, binary) => {
  const release = `shop@${major}.0.0+1`
  const name = `dist${major}`
  const ok = async (...words: string[]) => {
    const { code, output } = await run(binary ?? '', words)
    expect([words.join(' '), code, code === 0 ? '' : output]).toEqual([words.join(' '), 0, ''])
    return output
  }

  test.skipIf(!binary)('info, a release, inject, upload twice and for another dist, finalize', async () => {
    const outfile = await buildFile(name)
    expect(await ok('info')).toContain('Default Organization: upload')
    await ok('releases', 'new', release)
    await ok('sourcemaps', 'inject', name)
    const debugId = /debugId=([0-9a-f-]{36})/.exec(readFileSync(outfile, 'utf8'))?.[1] ?? ''
    for (let i = 0; i < 2; i++)
      expect(await ok('sourcemaps', 'upload', '--release', release, name)).toMatch(
        /File processing complete|Nothing to/,
      )
    await ok('sourcemaps', 'upload', '--release', release, '--dist', '7', name)
    await ok('releases', 'finalize', release)
    expect(await ok('releases', 'list')).toContain(release)
    expect(await ok('releases', 'info', release)).toContain(release)

    const found = await bundles(debugId)
    expect(found).toMatchObject([{ fileCount: 2 }])
    expect(found[0]?.associations).toEqual([
      { release, dist: null },
      { release, dist: '7' },
    ])
    const files = (await api(product, project(), `${P}/files/artifact-bundles/${found[0]?.bundleId}/files/`)).json
    expect(files).toMatchObject([
      { filePath: '~/app.js', fileType: 'minified_source', debugId, sourcemap: 'app.js.map' },
      { filePath: '~/app.js.map', fileType: 'source_map', debugId },
    ])
    const made = (await api(product, project(), `${P}/releases/${encodeURIComponent(release)}/`)).json
    expect(made).toMatchObject({ version: release, dateReleased: expect.stringMatching(/^20/) })
  })

  test.skipIf(!binary)('lists organizations, projects, events and issues, and mutes one', async () => {
    const more = { release: `listed@${major}`, user: { id: '42' } }
    const event = errorEvent(`Listed${major}Error`, 'seen', more)
    expect((await ingest(product, project(), envelopeOf(event))).status).toBe(200)
    const [issue] = await until('the issue', 15_000, async () => {
      const found = (await api(product, project(), `${P}/issues/?query=Listed${major}Error`)).json as { id: string }[]
      return found.length > 0 && found
    })
    expect(await ok('organizations', 'list')).toContain('upload')
    expect(await ok('projects', 'list')).toContain('shop')
    const dashed = event.event_id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
    expect(await ok('events', 'list', '--show-user', '--show-tags')).toContain(dashed)
    expect(await ok('issues', 'list')).toContain(`Listed${major}Error`)
    await ok('issues', 'mute', '-i', issue?.id ?? '')
    expect((await api(product, project(), `/issues/${issue?.id}/`)).json).toMatchObject({ status: 'ignored' })
  })

  test.skipIf(!binary)('without a release: by debug id only; a wrong token is told so', async () => {
    const outfile = await buildFile(`${name}-bare`)
    await ok('sourcemaps', 'inject', `${name}-bare`)
    await ok('sourcemaps', 'upload', `${name}-bare`)
    const debugId = /debugId=([0-9a-f-]{36})/.exec(readFileSync(outfile, 'utf8'))?.[1] ?? ''
    expect(await bundles(debugId)).toMatchObject([{ associations: [] }])
    const { code, output } = await run(binary ?? '', ['--auth-token', 'a'.repeat(64), 'sourcemaps', 'upload', name])
    expect([code, output]).toEqual([1, expect.stringContaining('Invalid token')])
  })
})

test.skipIf(!clients[1][1])('sentry-cli 2.x: single files of a release', async () => {
  await buildFile('single')
  const release = 'single@1'
  const client = clients[1][1] ?? ''
  for (const words of [
    ['releases', 'new', release],
    ['files', '--release', release, 'upload', 'single/app.js', '~/app.js'],
    ['files', '--release', release, 'list'],
  ])
    expect(await run(client, words)).toMatchObject({ code: 0 })
  const files = () => api(product, project(), `${P}/releases/${release}/files/`)
  expect((await files()).json).toMatchObject([{ name: '~/app.js', dist: null }])
  expect(await run(client, ['files', '--release', release, 'delete', '--all'])).toMatchObject({ code: 0 })
  expect((await files()).json).toEqual([])
})

/** A real Next.js build: that of the screens. */
const nextBuild = join(import.meta.dirname, '../../src/web/.next')

test.skipIf(!clients[0][1])(
  'routes of a Next.js build come from the names of its files and from its manifest',
  async () => {
    const client = clients[0][1] ?? ''
    const uploaded = async () => ((await api(product, project(), `${P}/`)).json as Uploaded).uploadedRoutes
    const upload = async (...words: string[]) =>
      expect(await run(client, ['sourcemaps', 'upload', ...words])).toMatchObject({
        code: 0,
        output: expect.stringContaining('File processing complete'),
      })
    // A copy, because the client finds no files in the folder of the build.
    cpSync(join(nextBuild, 'server/app/o/[org]/issues'), join(folder, 'pages/server/app/o/[org]/issues'), {
      recursive: true,
    })
    await upload('--release', 'next@1', '--url-prefix', '~/_next', 'pages')
    const [byName] = await until('routes of names', 12_000, async () => {
      const found = await uploaded()
      return found.length > 0 && found
    })
    expect(byName?.releases).toEqual(['next@1'])
    expect(byName?.routes).toEqual(expect.arrayContaining(['/o/[org]/issues', '/o/[org]/issues/[id]']))
    cpSync(join(nextBuild, 'routes-manifest.json'), join(folder, 'next/routes-manifest.json'))
    await upload('--release', 'next@2', '--ext', 'json', 'next')
    const [byManifest] = await until('routes of the manifest', 30_000, async () => {
      const found = await uploaded()
      return found.length > 1 && found
    })
    expect(byManifest?.releases).toEqual(['next@2'])
    expect(byManifest?.routes).toEqual(
      expect.arrayContaining(['/', '/find', '/invite/[token]', '/o/[org]/issues/[id]']),
    )
    expect(byManifest?.routes.some((route) => route.startsWith('/_'))).toBe(false)
  },
  90_000,
)

test('the bundler plugin: an esbuild build injects, uploads, makes its release and finalizes it', async () => {
  writeFileSync(join(folder, 'plugged.ts'), 'export const seven: number = 7\nconsole.log(seven)\n')
  const program = `
import { build } from ${JSON.stringify(require.resolve('esbuild'))}
import { sentryEsbuildPlugin } from ${JSON.stringify(require.resolve('@sentry/bundler-plugins/esbuild'))}
const plugin = sentryEsbuildPlugin({
  org: 'upload', project: 'shop', authToken: process.env.SENTRY_AUTH_TOKEN, url: process.env.SENTRY_URL,
  telemetry: false, release: { name: 'plugged@1', setCommits: false },
  errorHandler: (error) => { throw error },
})
await build({ entryPoints: ['plugged.ts'], outdir: 'plugged', bundle: true, minify: true, sourcemap: true, plugins: [plugin] })
`
  writeFileSync(join(folder, 'plugged.mjs'), program)
  const { code, output } = await run(process.execPath, ['plugged.mjs'])
  expect([code, code === 0 ? '' : output]).toEqual([0, ''])
  const found = await bundles('plugged@1')
  expect(found, output).toMatchObject([{ fileCount: 2, associations: [{ release: 'plugged@1', dist: null }] }])
  const made = (await api(product, project(), `${P}/releases/plugged@1/`)).json
  expect(made).toMatchObject({ version: 'plugged@1', dateReleased: expect.stringMatching(/^20/) })
}, 60_000)
