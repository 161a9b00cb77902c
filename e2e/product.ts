import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { metaEnv, prepareMeta } from './meta-database.ts'

export const root = fileURLToPath(new URL('..', import.meta.url))
/** The compiled sources of earlier starts. Without them a start takes 3 core-seconds more, and a command 0.1. */
const compileCache = { NODE_COMPILE_CACHE: join(root, '.build/compile') }
export const password = 'correct horse battery staple'

/** A started product. `stop('SIGKILL')` kills all its processes at once, like a power cut. */
export type Product = {
  url: string
  port: number
  data: string
  startedMs: number
  child: ChildProcess
  log(): string
  stop(signal?: NodeJS.Signals): Promise<void>
}

export type Project = {
  dsn: string
  token: string
  key: string
  id: string
  org: string
  slug: string
  /** With --ci-token. */
  ciToken?: string
}

export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
      .once('error', reject)
      .listen(0, '127.0.0.1', () => {
        const address = server.address()
        server.close(() =>
          address && typeof address === 'object' ? resolve(address.port) : reject(new Error('no port')),
        )
      })
  })

/** Calls `check` until it returns a truthy value, for at most `ms`. The error names `what`. */
export async function until<T>(what: string, ms: number, check: () => Promise<T | undefined | false>): Promise<T> {
  const end = performance.now() + ms
  for (;;) {
    const found = await check().catch(() => undefined)
    if (found) return found
    if (performance.now() > end) throw new Error(`waited ${ms} ms for ${what}`)
    await pause(50)
  }
}

/** Starts the built product in its own process group. `data`: an existing data folder. `tree`: another build. */
export async function start(
  options: { data?: string; port?: number; env?: Record<string, string>; tree?: string } = {},
): Promise<Product> {
  const port = options.port ?? (await freePort())
  const data = options.data ?? mkdtempSync(join(tmpdir(), 'mishap-e2e-'))
  await prepareMeta(data)
  const logFile = `${data}.log`
  const out = openSync(logFile, 'a')
  const began = performance.now()
  const words = [
    '--disable-warning=ExperimentalWarning',
    '--max-semi-space-size=16',
    join(options.tree ?? root, 'src/processes/main.ts'),
    'start',
    '--port',
    String(port),
    '--host',
    '127.0.0.1',
    '--data',
    data,
  ]
  const child = spawn(process.execPath, words, {
    stdio: ['ignore', out, out],
    detached: true,
    env: { ...process.env, ...compileCache, ...metaEnv(data), ...options.env },
  })
  const url = `http://127.0.0.1:${port}`
  const log = () => (existsSync(logFile) ? readFileSync(logFile, 'utf8') : '')
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
    const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
    if (signal === 'SIGKILL') process.kill(-child.pid, 'SIGKILL')
    else child.kill(signal)
    await gone
  }
  const state = await until('health', 20_000, async () =>
    child.exitCode !== null ? 'ended' : (await fetch(`${url}/api/health/live`)).ok && 'live',
  )
  if (state === 'ended') throw new Error(`the product ended: ${log().slice(-500)}`)
  return { url, port, data, startedMs: performance.now() - began, child, log, stop }
}

/** Waits until screens and events store answer. Use a longer `ms` if an older data folder must be migrated first. */
export const ready = (product: { url: string }, ms = 20_000): Promise<boolean> =>
  until('ready', ms, async () => (await fetch(`${product.url}/api/health/ready`)).ok)

/** Creates or finds an organization with a project and an owner, through `mishap bootstrap`. */
export function bootstrap(
  product: { data: string },
  org = 'acme',
  slug = 'web',
  platform = 'javascript',
  email = `owner@${org}.test`,
  more: readonly string[] = [],
): Project {
  const words = [
    'bootstrap',
    '--org',
    org,
    '--project',
    slug,
    '--platform',
    platform,
    '--email',
    email,
    '--password-stdin',
    '--json',
    ...more,
    '--data',
    product.data,
  ]
  const out = execFileSync(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', join(root, 'src/processes/main.ts'), ...words],
    { input: password, encoding: 'utf8', env: { ...process.env, ...compileCache, ...metaEnv(product.data) } },
  )
  const created = JSON.parse(out) as { dsn: string; token: string; ciToken?: string }
  const at = new URL(created.dsn)
  return { ...created, key: at.username, id: at.pathname.slice(1), org, slug }
}

export const eventId = (): string => randomBytes(16).toString('hex')

/** An envelope with one event. */
export const envelopeOf = (event: Record<string, unknown>): string =>
  `${JSON.stringify({ event_id: event.event_id })}\n{"type":"event"}\n${JSON.stringify(event)}\n`

/** A small error event. Events with the same `type` belong to the same issue. */
export function errorEvent(
  type = 'TypeError',
  value = 'x is undefined',
  more: Record<string, unknown> = {},
): Record<string, unknown> & { event_id: string } {
  const frames = [{ filename: 'http://shop.test/app.js', function: `in${type}`, lineno: 3, colno: 7, in_app: true }]
  return {
    event_id: eventId(),
    timestamp: Date.now() / 1000,
    platform: 'javascript',
    level: 'error',
    exception: { values: [{ type, value, stacktrace: { frames } }] },
    ...more,
  }
}

export function ingest(
  product: { url: string },
  project: Project,
  body: string | Buffer,
  options: { path?: string; headers?: Record<string, string>; query?: string } = {},
): Promise<Response> {
  const url = `${product.url}/api/${project.id}/${options.path ?? 'envelope'}/?${options.query ?? `sentry_key=${project.key}&sentry_version=7`}`
  return fetch(url, {
    method: 'POST',
    body: body as BodyInit,
    headers: { 'content-type': 'text/plain', ...options.headers },
  })
}

type ApiAnswer = { status: number; json: never; text: string; headers: Headers }

/** Calls the REST API with the project's token. `json` is untyped on purpose: tests check the real answer. */
export async function api(
  product: { url: string },
  project: { token: string },
  path: string,
  init: RequestInit = {},
): Promise<ApiAnswer> {
  const answer = await fetch(`${product.url}/api/0${path}`, {
    ...init,
    headers: { authorization: `Bearer ${project.token}`, ...(init.headers as Record<string, string>) },
  })
  const text = await answer.text()
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    json = undefined
  }
  return { status: answer.status, json: json as never, text, headers: answer.headers }
}

/** The fields of an issue in the list that the tests use. */
export type Issue = { id: string; count: string; lifetime: { count: string } }

/** Reads the ids of all stored events of an issue, page by page. */
export async function idsOf(product: { url: string }, project: Project, issue: string): Promise<string[]> {
  const ids: string[] = []
  for (let cursor = ''; ; ) {
    const page = await api(
      product,
      project,
      `/organizations/${project.org}/issues/${issue}/events/?per_page=100${cursor}`,
    )
    if (page.status !== 200) throw new Error(`events of issue ${issue}: ${page.status} ${page.text.slice(0, 300)}`)
    ids.push(...(page.json as { eventID: string }[]).map((event) => event.eventID))
    const next = /rel="next"; results="true"; cursor="([^"]+)"/.exec(page.headers.get('link') ?? '')?.[1]
    if (!next) return ids
    cursor = `&cursor=${encodeURIComponent(next)}`
  }
}

/** Stops the product and removes its data folder. */
export async function discard(product: Product): Promise<void> {
  await product.stop()
  rmSync(product.data, { recursive: true, force: true })
  rmSync(`${product.data}.log`, { force: true })
}

/** The path of Chromium on this machine, or undefined. The headless shell comes before the whole browser. */
export const chromiumPath = (): string | undefined =>
  [
    '/usr/bin/chromium-headless-shell',
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  ].find((place) => existsSync(place))

/** Disables Chromium's background traffic, which only costs time on a closed network. */
export const chromiumWords = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]
