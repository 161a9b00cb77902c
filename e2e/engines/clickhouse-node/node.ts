// A real ClickHouse node for tests: the listeners of the library that the embedded engine uses. It needs gcc or cc.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { grantsOf } from '../../../src/store/events/grants.ts'

const root = join(import.meta.dirname, '../../..')
const startMs = 60_000

export type ClickHouseNode = {
  /** `http://127.0.0.1:PORT` */
  url: string
  port: number
  folder: string
  /** Runs a statement as the administrator. Returns the text of the answer; throws it if the status is not 200. */
  ask(sql: string): Promise<string>
  /** Stops the process as kill -9 does. */
  kill(): Promise<void>
  /** Stops the process for a while (SIGSTOP), or lets it go on. */
  hold(held: boolean): void
  /** Starts the process again on the same folder and port. */
  start(): Promise<void>
  /** Kills the process and deletes its folder. */
  discard(): Promise<void>
}

type NodeOptions = {
  /** Users with a password and exactly the grants of Mishap on a database. */
  users?: { name: string; password: string; database: string; backup?: boolean; without?: RegExp }[]
  /** Folder of the data, such as one on a small disk. */
  folder?: string
  /** Another library than the shipped one: `libchdb.so` of an older version. */
  library?: string
}

const shippedLibrary = () =>
  globSync('node_modules/@chdb/lib-*/libchdb.*', { cwd: root }).map((path) => join(root, path))[0]
const compiler = () => ['gcc', 'cc'].find((name) => spawnSync(name, ['--version']).status === 0)

/** Returns why no node can be started here; undefined if one can. Prints the reason, because its tests are skipped. */
export function noNodeReason(): string | undefined {
  const reason = !compiler()
    ? 'no C compiler (gcc or cc) was found'
    : !shippedLibrary()
      ? 'the library of the embedded engine is not installed'
      : undefined
  if (reason) process.stderr.write(`skipped, ClickHouse node: ${reason}\n`)
  return reason
}

const portOf = (): Promise<number> =>
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

const xml = (text: string) => text.replace(/[<>&]/g, (sign) => ({ '<': '&lt;', '>': '&gt;' })[sign] ?? '&amp;')

function usersXml(users: NonNullable<NodeOptions['users']>): string {
  const common = '<networks><ip>::/0</ip></networks><profile>default</profile><quota>default</quota>'
  const each = users.map(({ name, password, database, backup, without }) => {
    const grants = grantsOf({ user: name, database }, backup)
      .filter((grant) => !without?.test(grant))
      .map((grant) => `<query>${xml(grant.replace(/ TO \w+$/, ''))}</query>`)
    return `<${name}><password>${xml(password)}</password>${common}<grants>${grants.join('')}</grants></${name}>`
  })
  return `<clickhouse><profiles><default/></profiles><quotas><default/></quotas><users>
<default><password/>${common}<access_management>1</access_management></default>
${each.join('\n')}</users></clickhouse>`
}

// The waits are those of the embedded engine: with the default of up to a second a step, tests took 40 s longer.
const configXml = (folder: string): string => `<clickhouse>
<listen_host>127.0.0.1</listen_host>
<users_config>${folder}/users.xml</users_config>
<storage_configuration><disks><backups><type>local</type><path>${folder}/backups/</path></backups></disks></storage_configuration>
<backups><allowed_disk>backups</allowed_disk></backups>
<background_processing_pool_task_sleep_seconds_when_no_work_random_part>0.02</background_processing_pool_task_sleep_seconds_when_no_work_random_part>
<access_control_improvements><select_from_system_db_requires_grant>true</select_from_system_db_requires_grant></access_control_improvements>
</clickhouse>`

/** Starts a node on a new folder. Throws if it does not answer within a minute. */
export async function startClickHouseNode(options: NodeOptions = {}): Promise<ClickHouseNode> {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'mishap-clickhouse-'))
  const port = await portOf()
  const url = `http://127.0.0.1:${port}`
  for (const name of ['data', 'backups']) mkdirSync(join(folder, name), { recursive: true })
  writeFileSync(join(folder, 'users.xml'), usersXml(options.users ?? []))
  writeFileSync(join(folder, 'config.xml'), configXml(folder))
  const launcher = join(folder, 'launcher')
  execFileSync(compiler() ?? 'cc', ['-O1', '-o', launcher, join(import.meta.dirname, 'launcher.c'), '-ldl'])
  const state: { child?: ChildProcess } = {}

  const ask = async (sql: string) => {
    const answer = await fetch(url, { method: 'POST', body: sql })
    const text = await answer.text()
    if (!answer.ok) throw new Error(text)
    return text.trimEnd()
  }

  async function start(): Promise<void> {
    const out = openSync(join(folder, 'node.log'), 'w')
    const wait =
      'SELECT sleepEachRow(3) FROM numbers(1000000) SETTINGS max_block_size = 1, function_sleep_max_microseconds_per_block = 0 FORMAT Null'
    const words = [
      options.library ?? shippedLibrary() ?? '',
      `--config-file=${folder}/config.xml`,
      `--path=${folder}/data/`,
      '--listen_host=127.0.0.1',
      `--http_port=${port}`,
      '--logger.level=error',
      `--query=SYSTEM START LISTEN HTTP; ${wait}`,
    ]
    const child = spawn(launcher, words, { cwd: folder, stdio: ['ignore', out, out] })
    state.child = child
    for (const endMs = performance.now() + startMs; ; ) {
      if (await ask('SELECT 1').catch(() => undefined)) return
      if (child.exitCode !== null || performance.now() > endMs)
        throw new Error(
          `the ClickHouse node did not start: ${readFileSync(join(folder, 'node.log'), 'utf8').slice(-500)}`,
        )
      await pause(100)
    }
  }

  async function kill(): Promise<void> {
    const { child } = state
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
    child.kill('SIGKILL')
    await gone
  }

  await start()
  return {
    url,
    port,
    folder,
    ask,
    kill,
    start,
    hold: (held) => void state.child?.kill(held ? 'SIGSTOP' : 'SIGCONT'),
    discard: async () => {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
