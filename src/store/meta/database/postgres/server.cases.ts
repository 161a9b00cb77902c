import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { systemClock } from '../../../../base/clock.ts'

/** A PostgreSQL server of a test, on loopback, in a folder of its own. The user is `mishap`, a superuser. */
export type TestServer = {
  port: number
  folder: string
  /** The URL of a database, with the user `mishap` unless another is named. */
  url(database: string, user?: string): string
  /** Runs SQL in a database. */
  sql<R = Record<string, unknown>>(database: string, text: string): Promise<R[]>
  /** Writes files into the data folder, and applies the settings in them. */
  configure(files: Record<string, string>): Promise<void>
  /** Ends the server as a power cut does. */
  kill(): Promise<void>
  /** Starts it again after `kill`. */
  start(): Promise<void>
  /** Ends the server and removes its folder. */
  remove(): Promise<void>
}

const startMs = 60_000
const root = process.getuid?.() === 0

/** The folder with initdb and postgres: that of MISHAP_TEST_POSTGRES, or of the newest installed version. */
function binaries(): string | undefined {
  const { MISHAP_TEST_POSTGRES: chosen } = process.env
  if (chosen) return chosen
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : []
  const places = [...versions.map((version) => join(debian, version, 'bin')), '/usr/local/bin', '/opt/homebrew/bin']
  return places.find((place) => existsSync(join(place, 'initdb')) && existsSync(join(place, 'postgres')))
}

/** PostgreSQL refuses to run as root. Root uses the user of Debian's package. */
function postgresUser(): { uid: number; gid: number } | undefined {
  const id = (flag: string) =>
    Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout.trim() || Number.NaN)
  const [uid, gid] = [id('-u'), id('-g')]
  return Number.isNaN(uid) || Number.isNaN(gid) ? undefined : { uid, gid }
}

/** Why no server can be started here; undefined if one can. */
export function noPostgres(): string | undefined {
  if (!binaries()) return 'PostgreSQL is not installed (Debian: apt-get install postgresql)'
  return root && !postgresUser() ? 'there is no user postgres, and PostgreSQL does not run as root' : undefined
}

/** Returns a port that is free now. */
const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })

async function ask<R>(url: string, text: string): Promise<R[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query(text)).rows as R[]
  } finally {
    await client.end()
  }
}

/** Makes the folder of a cluster, or of a standby. The locale orders texts as people do, unlike SQLite. */
function makeCluster(bin: string, primary: TestServer | undefined): string {
  const user = root ? postgresUser() : undefined
  const folder = mkdtempSync(join(tmpdir(), 'mishap-postgres-'))
  if (user) chownSync(folder, user.uid, user.gid)
  if (primary) {
    const from = ['-d', primary.url('postgres'), '-D', join(folder, 'data'), '-R', '-c', 'fast', '--no-sync']
    const copied = spawnSync(join(bin, 'pg_basebackup'), from, { cwd: folder, encoding: 'utf8', ...user })
    if (copied.status !== 0) throw new Error(`pg_basebackup failed: ${copied.stderr}`)
    return folder
  }
  const words = [
    '-D',
    join(folder, 'data'),
    '-U',
    'mishap',
    '-A',
    'trust',
    '-E',
    'UTF8',
    '--no-sync',
    '--no-instructions',
  ]
  const locale = ['--locale=C.UTF-8', '--locale-provider=icu', '--icu-locale=en-US']
  const made = spawnSync(join(bin, 'initdb'), [...words, ...locale], { cwd: folder, encoding: 'utf8', ...user })
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`)
  return folder
}

/**
 * Ends the server and removes its folder when this process is gone, however it ended: a killed worker of the tests runs
 * no code. The watcher waits for the end of its input.
 */
function watch(server: ChildProcess, folder: string, user: { uid: number; gid: number } | undefined): ChildProcess {
  const watcher = spawn('sh', ['-c', `read _; kill -QUIT ${server.pid}; sleep 1; rm -rf '${folder}'`], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    cwd: '/',
    ...user,
  })
  watcher.unref()
  return watcher
}

/**
 * Starts a PostgreSQL server. `safe`: it syncs to disk, for tests that kill it; other tests are faster without.
 * `standbyOf`: it follows that server. Throws if it does not start in 60 s.
 */
export async function startPostgres(options: { safe?: boolean; standbyOf?: TestServer } = {}): Promise<TestServer> {
  const bin = binaries()
  const why = noPostgres()
  if (!bin || why) throw new Error(why)
  const folder = makeCluster(bin, options.standbyOf)
  const port = await freePort()
  const state: { child?: ChildProcess; watcher?: ChildProcess } = {}
  const url = (database: string, user = 'mishap') => `postgres://${user}@127.0.0.1:${port}/${database}`
  const fast = options.safe ? [] : ['fsync=off', 'full_page_writes=off']
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=60',
    'shared_buffers=32MB',
    'autovacuum_naptime=10min',
    ...fast,
  ]
  const start = async () => {
    const words = ['-D', join(folder, 'data'), '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])]
    const user = root ? postgresUser() : undefined
    const child = spawn(join(bin, 'postgres'), words, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'], ...user })
    state.child = child
    state.watcher = watch(child, folder, user)
    let output = ''
    child.stderr?.on('data', (piece: Buffer) => {
      output = (output + String(piece)).slice(-4000)
    })
    for (let waitedMs = 0; ; waitedMs += 50) {
      try {
        await ask(url('postgres'), 'select 1')
        return
      } catch {
        if (waitedMs > startMs || child.exitCode !== null) throw new Error(`PostgreSQL does not start: ${output}`)
        await systemClock.sleep(50)
      }
    }
  }
  const end = async (signal: NodeJS.Signals) => {
    const { child } = state
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    state.watcher?.kill('SIGKILL')
    child.kill(signal)
    await ended
  }
  await start()
  return {
    port,
    folder,
    url,
    sql: (database, text) => ask(url(database), text),
    configure: async (files) => {
      const user = root ? postgresUser() : undefined
      for (const [name, text] of Object.entries(files)) {
        const file = join(folder, 'data', name)
        writeFileSync(file, text, { mode: 0o600 })
        if (user) chownSync(file, user.uid, user.gid)
      }
      await ask(url('postgres'), 'select pg_reload_conf()')
      // The first process of the server applies them at its next turn.
      await systemClock.sleep(500)
    },
    // The other processes of the server notice the death of the first one and end. It cannot start before.
    kill: () => end('SIGKILL'),
    start,
    remove: async () => {
      await end('SIGQUIT')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
