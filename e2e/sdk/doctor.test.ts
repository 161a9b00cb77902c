import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { EventDiagnosis, ReleaseDiagnosis } from '../../src/domain/doctor.ts'
import { api, bootstrap, envelopeOf, errorEvent, ingest, type Project, root, until } from '../product.ts'

// Faulty builds, uploaded with the real sentry-cli. The product must name the fault, and the command that it shows must
// fix it.

const product = inject('product')
const folder = mkdtempSync(join(tmpdir(), 'mishap-doctor-'))
const org = 'doctor'
const state: { project?: Project; other?: Project } = {}
function project(): Project {
  if (!state.project) throw new Error('no project')
  return state.project
}

function binaryOf(): string | undefined {
  const require = createRequire(import.meta.url)
  const { platform, arch } = process
  try {
    const from = createRequire(require.resolve('@sentry/cli/package.json'))
    const system = platform === 'darwin' ? 'darwin' : `${platform}-${arch}`
    return join(dirname(from.resolve(`@sentry/cli-${system}/package.json`)), 'bin/sentry-cli')
  } catch {
    return undefined
  }
}
const binary = binaryOf()

const settings = (): Record<string, string> => ({
  SENTRY_URL: product.url,
  SENTRY_ORG: org,
  SENTRY_PROJECT: 'shop',
  SENTRY_AUTH_TOKEN: project().token,
  SENTRY_LOAD_DOTENV: '0',
})

function run(file: string, words: readonly string[], cwd = folder): Promise<{ code: number | null; output: string }> {
  const child = spawn(file, words, { cwd, env: { ...process.env, ...settings() } })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()))
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, output })))
}
const cli = async (name: string, ...words: string[]) => {
  const { code, output } = await run(binary ?? '', ['sourcemaps', ...words], join(folder, name))
  expect([words.join(' '), code, code === 0 ? '' : output]).toEqual([words.join(' '), 0, ''])
}
const doctor = (...words: string[]) =>
  run(process.execPath, [
    '--disable-warning=ExperimentalWarning',
    join(root, 'src/processes/main.ts'),
    'doctor',
    ...words,
  ])

/** Builds `folder/name/dist/app.js` with a source map. */
async function buildApp(name: string): Promise<void> {
  mkdirSync(join(folder, name), { recursive: true })
  const source = join(folder, name, 'cart.ts')
  writeFileSync(
    source,
    `export function totalOf(cart: string[]): number { throw new Error('${name}' + cart) }\ntotalOf([])\n`,
  )
  const outfile = join(folder, name, 'dist/app.js')
  await build({ entryPoints: [source], outfile, bundle: true, minify: true, sourcemap: true })
}
const deployed = (name: string) => readFileSync(join(folder, name, 'dist/app.js'), 'utf8')
const debugIdOf = (script: string) => /debugId=([0-9a-f-]{36})/.exec(script)?.[1] ?? ''

/** Sends an event whose frame points at the `throw` of the script, as deployed at `url`. */
async function fail(script: string, url: string, more: object): Promise<string> {
  const lines = script.split('\n')
  const line = lines.findIndex((item) => item.includes('throw '))
  const frame = { filename: url, abs_path: url, function: 't', in_app: true, lineno: line + 1 }
  const frames = [{ ...frame, colno: (lines[line]?.indexOf('throw ') ?? 0) + 1 }]
  const id = debugIdOf(script)
  const images = id ? { debug_meta: { images: [{ type: 'sourcemap', code_file: url, debug_id: id }] } } : {}
  const exception = { values: [{ type: 'Error', value: 'cart', stacktrace: { frames } }] }
  const event = errorEvent('Error', 'cart', { exception, ...images, ...more })
  expect((await ingest(product, project(), envelopeOf(event))).status).toBe(200)
  return event.event_id
}

const diagnosed = (id: string) =>
  until('the diagnosis', 20_000, async () => {
    const { status, json } = await api(product, project(), `/projects/${org}/shop/events/${id}/source-map-debug/`)
    return status === 200 && (json as EventDiagnosis)
  })

/** Runs the command that the product shows, line by line, with sentry-cli in the folder of a build. */
async function mend(name: string, command: string | null | undefined): Promise<void> {
  for (const line of (command ?? '').split('\n')) {
    expect(line).toMatch(/^npx @sentry\/cli /)
    const { code, output } = await run(
      '/bin/sh',
      ['-c', line.replace('npx @sentry/cli', `'${binary}'`)],
      join(folder, name),
    )
    expect([line, code, code === 0 ? '' : output]).toEqual([line, 0, ''])
  }
}

beforeAll(() => {
  state.project = bootstrap(product, org, 'shop', 'javascript')
  state.other = bootstrap(product, org, 'billing', 'javascript')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.skipIf(!binary)('an upload gone wrong, and mended by the command that the product gives', () => {
  test('nothing was uploaded; the build went to another project; the other one is named', async () => {
    await buildApp('first')
    await cli('first', 'inject', './dist')
    const script = deployed('first')
    const id = await fail(script, 'https://shop.test/app.js', {})
    expect((await diagnosed(id)).finding?.code).toBe('no_uploads')
    const none = await doctor('--release', 'shop@1')
    expect([none.code, none.output]).toEqual([1, expect.stringContaining('The project shop has no uploaded files.')])

    await cli('first', 'upload', '--project', 'billing', './dist')
    const { finding } = await diagnosed(id)
    expect(finding).toMatchObject({ code: 'other_project', data: { other: 'billing', project: 'shop' } })
    await mend('first', finding?.command)
    expect(await diagnosed(id)).toMatchObject({ verdict: 'now', finding: { code: 'came_later' } })
  }, 60_000)

  test('built again between upload and deploy', async () => {
    await buildApp('again')
    await cli('again', 'inject', './dist')
    await cli('again', 'upload', './dist')
    const before = debugIdOf(deployed('again'))
    cpSync(join(folder, 'again'), join(folder, 'rebuilt'), { recursive: true })
    await buildApp('rebuilt')
    await cli('rebuilt', 'inject', './dist')
    const script = deployed('rebuilt')
    const { finding } = await diagnosed(await fail(script, 'https://shop.test/app.js', {}))
    expect(finding).toMatchObject({ code: 'debug_id_differs', data: { debugId: debugIdOf(script), foundId: before } })
    await mend('rebuilt', finding?.command)
    const { verdict } = await diagnosed(await fail(script, 'https://shop.test/app.js', {}))
    expect(verdict).toBe('ok')
  }, 60_000)

  test('another release, then another dist; the command for a build’s machine ends with 1', async () => {
    await buildApp('plain')
    const script = deployed('plain')
    const url = 'https://shop.test/assets/plain/app.js'
    const names = { release: 'shop@1.2.4', dist: 'web' }
    const ask = async () => (await diagnosed(await fail(script, url, names))).finding
    await cli('plain', 'upload', '--release', 'shop@1.2.3', '--url-prefix', '~/assets/plain', './dist')
    const release = await ask()
    expect(release).toMatchObject({ code: 'release_differs', data: { foundRelease: 'shop@1.2.3' } })
    await cli('plain', 'upload', '--release', 'shop@1.2.4', '--url-prefix', '~/assets/plain', './dist')
    expect(await ask()).toMatchObject({ code: 'dist_differs', data: { dist: 'web', foundDist: '–' } })
    await cli('plain', 'upload', '--release', 'shop@1.2.4', '--dist', 'web', '--url-prefix', '~/static', './dist')
    const bad = await doctor('--release', 'shop@1.2.4', '--dist', 'web', '--json')
    expect(bad.code).toBe(1)
    expect((JSON.parse(bad.output) as ReleaseDiagnosis).verdict).toBe('wrong')
  }, 90_000)

  test('under another address: the prefix that the product says', async () => {
    await buildApp('moved')
    const script = deployed('moved')
    const url = 'https://shop.test/new/home/app.js?v=7'
    const names = { release: 'moved@1' }
    await cli('moved', 'upload', '--release', 'moved@1', '--url-prefix', '~/old', './dist')
    const { finding } = await diagnosed(await fail(script, url, names))
    expect(finding).toMatchObject({ code: 'url_differs', data: { found: '~/old/app.js' } })
    expect(finding?.command).toContain("--url-prefix '~/new/home'")
    await mend('moved', finding?.command)
    expect(await diagnosed(await fail(script, url, names))).toMatchObject({ verdict: 'ok', finding: null })
  }, 60_000)

  test('for a build’s machine: 1 with the sentence while the map is missing, 0 once it came, 2 with a wrong token', async () => {
    await buildApp('maps')
    const map = join(folder, 'maps/dist/app.js.map')
    const mapText = readFileSync(map)
    rmSync(map)
    await cli('maps', 'upload', '--release', 'maps@1', './dist')
    const bad = await doctor('--release', 'maps@1')
    expect([bad.code, bad.output]).toEqual([1, expect.stringMatching(/WRONG .*(map_missing|map_unnamed)/)])
    writeFileSync(map, mapText)
    await cli('maps', 'upload', '--release', 'maps@1', './dist')
    const good = await doctor('--release', 'maps@1')
    expect([good.code, good.output]).toEqual([0, expect.stringContaining('Release maps@1 is good.')])
    const unknown = await doctor('--release', 'maps@1', '--token', 'nobody')
    expect([unknown.code, unknown.output]).toEqual([2, expect.stringContaining('does not know the token')])
    const nowhere = await doctor('--release', 'maps@1', '--url', 'http://127.0.0.1:9')
    expect(nowhere.code).toBe(2)
  }, 60_000)
})
