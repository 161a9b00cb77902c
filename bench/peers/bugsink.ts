// Bugsink from PyPI, set up as on a single server: gunicorn, its task runner and two SQLite databases.
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { freePort, until } from '../../e2e/product.ts'
import { cacheFolder, type Peer, type RunningPeer, run, type Server, startServer } from './peer.ts'

/** Pinned, so that two runs compare the same. */
const version = '2.6.2'
const many = 1_000_000_000

const environment = () => cacheFolder(`bugsink-${version}`)
const command = (name: string) => join(environment(), 'bin', name)

async function install(): Promise<string> {
  const folder = environment()
  const done = join(folder, 'installed')
  if (existsSync(done)) return version
  rmSync(folder, { recursive: true, force: true })
  await run('python3', ['-m', 'venv', folder])
  await run(command('pip'), ['install', '--quiet', '--disable-pip-version-check', `bugsink==${version}`])
  writeFileSync(done, '')
  return version
}

/** Appended to the settings that Bugsink generates for a single server. Nothing is sent to its makers. */
const settingsOf = (port: number): string => `
BUGSINK["BASE_URL"] = "http://127.0.0.1:${port}"
BUGSINK["PHONEHOME"] = False
for _span in ["5_MINUTES", "HOUR", "MONTH"]:
    BUGSINK["MAX_EVENTS_PER_" + _span] = ${many}
    BUGSINK["MAX_EVENTS_PER_PROJECT_PER_" + _span] = ${many}
ALLOWED_HOSTS = ["127.0.0.1"]
`

const projectScript = `
from projects.models import Project
from teams.models import Team
team = Team.objects.create(name="bench")
project = Project.objects.create(name="bench", team=team, retention_max_event_count=${many})
print(project.id, project.sentry_key.hex)
`

/** Makes the settings, both databases and a project, and returns the path of the project's envelopes. */
async function setUp(cwd: string, data: string, port: number): Promise<string> {
  const words = ['--template=singleserver', `--port=${port}`, '--host=127.0.0.1', `--base-dir=${data}`]
  await run(command('bugsink-create-conf'), words, { cwd })
  appendFileSync(join(cwd, 'bugsink_conf.py'), settingsOf(port))
  // Its control socket would be in the home folder.
  writeFileSync(join(cwd, 'gunicorn.conf.py'), 'control_socket_disable = True\n')
  const manage = (...more: string[]) => run(command('bugsink-manage'), more, { cwd })
  await manage('migrate')
  await manage('migrate', 'snappea', '--database=snappea')
  const made = (await manage('shell', '-c', projectScript)).trim().split('\n').at(-1) ?? ''
  const [id, key] = made.split(' ')
  return `/api/${id}/envelope/?sentry_key=${key}&sentry_version=7`
}

async function startServers(cwd: string, port: number): Promise<Server[]> {
  // One worker for each core, at most 4, as in its container image.
  const workers = Math.min(availableParallelism(), 4)
  const words = [`--bind=127.0.0.1:${port}`, `--workers=${workers}`, '--timeout=6', '--access-logfile=-']
  const recycling = ['--max-requests=1000', '--max-requests-jitter=100']
  const place = (name: string) => ({ cwd, logFile: join(cwd, name), env: { PYTHONUNBUFFERED: '1' } })
  const servers = [
    startServer(command('gunicorn'), [...words, ...recycling, 'bugsink.wsgi'], place('gunicorn.log')),
    startServer(command('bugsink-runsnappea'), [], place('snappea.log')),
  ]
  const state = await until('Bugsink', 60_000, async () => {
    const gone = servers.find((server) => server.ended())
    if (gone) return gone.log().slice(-300)
    return (await fetch(`http://127.0.0.1:${port}/health/ready`)).ok && 'ready'
  })
  if (state !== 'ready') throw new Error(`Bugsink ended: ${state}`)
  return servers
}

async function startBugsink(): Promise<RunningPeer> {
  const cwd = mkdtempSync(join(tmpdir(), 'mishap-peers-bugsink-'))
  const data = join(cwd, 'data')
  mkdirSync(data)
  const port = await freePort()
  const path = await setUp(cwd, data, port)
  const state = { servers: await startServers(cwd, port) }
  const endAll = async (signal: NodeJS.Signals) => {
    await Promise.all(state.servers.map((server) => server.end(signal)))
  }
  return {
    port,
    path,
    stores: [data],
    pids: () => state.servers.map((server) => server.pid),
    stored: async () => {
      const database = new DatabaseSync(join(data, 'db.sqlite3'), { readOnly: true, timeout: 5000 })
      try {
        // Bugsink changes this counter in the transaction that stores the event. Counting rows would take longer.
        return Number(database.prepare('SELECT sum(stored_event_count) AS n FROM projects_project').get()?.n ?? 0)
      } finally {
        database.close()
      }
    },
    kill: () => endAll('SIGKILL'),
    startAgain: async () => {
      state.servers = await startServers(cwd, port)
    },
    discard: async () => {
      await endAll('SIGTERM')
      rmSync(cwd, { recursive: true, force: true })
    },
  }
}

export const bugsink: Peer = {
  name: 'Bugsink',
  durability:
    'The event is a file that is not synced. A task in SQLite refers to it (WAL, synchronous = NORMAL: no sync at a commit).',
  survives: '`kill -9`, without the events being processed at that moment',
  lifted: 'events per 5 minutes, hour and month, of the project and in all; events kept per project',
  install,
  start: startBugsink,
}
