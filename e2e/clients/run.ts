import { execFile, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { build, type Plugin } from 'esbuild'
import type { Browser } from 'playwright-core'
import { startShop } from '../../scripts/shop.ts'
import { noChromium, openBrowser } from '../browser.ts'
import { freePort, root, until } from '../product.ts'
import { clean, run as runNode } from '../sdk/build.ts'
import type { Client, ToolchainName } from './table.ts'

const home = join(root, 'e2e/clients')
const out = join(root, 'e2e/out/clients')
const venv = join(out, 'python')
const next = join(out, 'next')

/**
 * `missing` returns the reason if the machine lacks the toolchain. `fetch` gets packages from a registry: a failure
 * means that no registry is reachable, and skips. `build` compiles the programs: a failure fails the test.
 */
export type Toolchain = {
  missing(): string | undefined
  fetch?(): Promise<unknown>
  build?(): Promise<unknown>
  /** `atEnd` registers a function that stops a server which can still have items to send. */
  run(client: Client, dsn: string, atEnd: (end: () => void) => void): Promise<unknown>
}

const environment = () => ({ ...clean(), PATH: `${dirname(process.execPath)}:${process.env.PATH}` })

/** Runs a program and waits. Throws with the end of its output if it fails. */
function execute(command: string, words: readonly string[], cwd: string, env: Record<string, string> = {}) {
  return new Promise<void>((resolve, reject) => {
    const options = { cwd: join(home, cwd), env: { ...environment(), ...env }, timeout: 200_000, maxBuffer: 2 ** 24 }
    execFile(command, [...words], options, (error, stdout, stderr) => {
      if (!error) return resolve()
      reject(
        new Error(`${command} ${words.join(' ')}: ${error.code ?? error.signal}\n${`${stdout}${stderr}`.slice(-3000)}`),
      )
    })
  })
}

const without =
  (command: string, word = '--version') =>
  () =>
    spawnSync(command, [word], { stdio: 'ignore' }).status === 0 ? undefined : `no ${command} on this machine`

// ---- browsers

let installed: Promise<void> | undefined

/** Installs the packages of e2e/clients, once for all toolchains that need them. */
const packages = () =>
  (installed ??= execute(
    'npm',
    ['ci', '--no-audit', '--no-fund', '--loglevel=error', '--include=dev', '--ignore-scripts', '--fetch-retries=1'],
    '.',
  ))

const svelte: Plugin = {
  name: 'svelte',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.svelte$/ }, async ({ path }) => {
      const compiler = (await import(join(home, 'node_modules/svelte/src/compiler/index.js'))) as {
        compile(text: string, options: { filename: string }): { js: { code: string } }
      }
      return { contents: compiler.compile(readFileSync(path, 'utf8'), { filename: path }).js.code, loader: 'js' }
    }),
}

/** Maps `@sentry/browser` to the package of a version. This checkout has the oldest and the newest version. */
function packageOf({ name }: Client): Record<string, string> {
  const major = /^browser-(\d+)$/.exec(name)?.[1]
  if (major === undefined) return {}
  const path = { 7: 'node_modules/@sentry/browser-7', 11: 'node_modules/@sentry/browser' }[Number(major)]
  return { '@sentry/browser': join(root, path ?? `e2e/clients/node_modules/@sentry/browser-${major}`) }
}

async function bundle(client: Client): Promise<string> {
  const built = await build({
    entryPoints: [join(home, client.program)],
    alias: packageOf(client),
    plugins: [svelte],
    define: { 'process.env.NODE_ENV': '"production"' },
    bundle: true,
    write: false,
    format: 'iife',
    target: 'es2022',
    logLevel: 'error',
  })
  return built.outputFiles[0]?.text ?? ''
}

let chromium: Promise<Browser> | undefined

/** Opens the client's page, makes it fail and send, and closes it. */
async function visit(client: Client, dsn: string, page: string): Promise<void> {
  // A host name of its own: events from pages on localhost count as noise of a developer.
  chromium ??= openBrowser(['--host-resolver-rules=MAP shop.test 127.0.0.1'])
  const tab = await (await chromium).newPage()
  try {
    await tab.goto(`${page}?${new URLSearchParams({ dsn, client: client.name })}`)
    await until('the button to answer', 20_000, () => tab.evaluate<boolean>('!!window.sendRest'))
    await tab.click('#go')
    if ((await tab.evaluate('window.sendRest()')) !== true) throw new Error(`${client.name} could not flush`)
  } finally {
    await tab.close()
  }
}

export const closeBrowser = async (): Promise<void> => (await chromium)?.close()

async function runBrowser(client: Client, dsn: string): Promise<void> {
  const script = await bundle(client)
  const button = client.name.startsWith('browser-') ? '<button id="go">Go</button>' : ''
  const server = createServer((req, res) => {
    if (req.url === '/app.js') return void res.writeHead(200, { 'content-type': 'text/javascript' }).end(script)
    res
      .writeHead(200, { 'content-type': 'text/html' })
      .end(`<!doctype html><div id="app"></div>${button}<script src="/app.js"></script>`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    await visit(client, dsn, `http://shop.test:${(server.address() as AddressInfo).port}/page/cart`)
  } finally {
    server.close()
  }
}

// ---- Next.js: both routers in one build

async function buildNext(): Promise<void> {
  rmSync(next, { recursive: true, force: true })
  cpSync(join(home, 'next'), next, { recursive: true })
  cpSync(join(home, 'browser/send.js'), join(next, 'send.js'))
  const words = [join(root, 'node_modules/next/dist/bin/next'), 'build']
  await runNode(words, next, { NEXT_TELEMETRY_DISABLED: '1', SENTRY_LOAD_DOTENV: '0' })
}

async function runNext(client: Client, dsn: string, atEnd: (end: () => void) => void): Promise<void> {
  const port = await freePort()
  const env = { DSN: dsn, NEXT_TELEMETRY_DISABLED: '1' }
  const child = startShop({ folder: next, env, tunnelPath: '' }, clean(), port)
  atEnd(() => void child.kill('SIGKILL'))
  const local = `http://127.0.0.1:${port}`
  await until('the application', 60_000, async () => (await fetch(`${local}/${client.program}`)).ok)
  await visit(client, dsn, `http://shop.test:${port}/${client.program}`)
  const failed = await fetch(`${local}/fail/${client.program}`)
  if (failed.status !== 500) throw new Error(`the page that fails answered ${failed.status}`)
}

// ---- programs

const tooLong =
  process.env.MISHAP_E2E_CLIENTS === 'all' ? undefined : 'it compiles for a minute: with MISHAP_E2E_CLIENTS=all only'

const program =
  (command: string, words: (client: Client) => string[], folder: string) => (client: Client, dsn: string) =>
    execute(command, words(client), folder, { DSN: dsn, CLIENT: client.name })

function createVenv(): Promise<void> {
  mkdirSync(out, { recursive: true })
  const exists = existsSync(join(venv, 'bin/pip'))
  return exists ? Promise.resolve() : execute('python3', ['-m', 'venv', venv], 'python')
}

export const toolchains: Readonly<Record<ToolchainName, Toolchain>> = {
  browser: { missing: () => noChromium, fetch: packages, run: runBrowser },
  next: { missing: () => noChromium, build: buildNext, run: runNext },
  node: { missing: () => undefined, run: program(process.execPath, ({ program }) => [program], '.') },
  'older-node': {
    missing: () => undefined,
    fetch: packages,
    run: program(process.execPath, ({ program }) => [program], '.'),
  },
  python: {
    missing: without('python3'),
    fetch: async () => {
      await createVenv()
      const words = ['install', '--quiet', '--no-deps', '--retries=1', '--requirement', 'requirements.txt']
      await execute(join(venv, 'bin/pip'), words, 'python')
    },
    run: program(join(venv, 'bin/python'), ({ program }) => ['-B', program], 'python'),
  },
  go: {
    missing: without('go', 'version'),
    fetch: () => execute('go', ['mod', 'download'], 'go'),
    build: () => execute('go', ['build', '-o', join(out, 'go'), '.'], 'go'),
    run: program(join(out, 'go'), () => [], 'go'),
  },
  java: {
    missing: () => without('javac')() ?? without('mvn')(),
    fetch: () =>
      execute('mvn', ['-q', '-B', 'dependency:copy-dependencies', `-DoutputDirectory=${join(out, 'java')}`], 'java'),
    build: () => execute('javac', ['-d', join(out, 'java'), '-cp', join(out, 'java/*'), 'Main.java'], 'java'),
    run: program('java', () => ['-cp', `${join(out, 'java')}:${join(out, 'java/*')}`, 'Main'], 'java'),
  },
  ruby: {
    missing: () =>
      spawnSync('ruby', ['-e', 'require "sentry-ruby"'], { stdio: 'ignore' }).status === 0
        ? undefined
        : 'no Ruby with the gem sentry-ruby on this machine (Debian: ruby ruby-sentry-ruby)',
    run: program('ruby', ({ program }) => [program], '.'),
  },
  rust: {
    missing: () => tooLong ?? without('cargo')(),
    fetch: () => execute('cargo', ['fetch', '--locked'], 'rust'),
    build: () => execute('cargo', ['build', '--locked', '--quiet'], 'rust', { CARGO_TARGET_DIR: join(out, 'rust') }),
    run: program(join(out, 'rust/debug/mishap-client'), () => [], 'rust'),
  },
}
