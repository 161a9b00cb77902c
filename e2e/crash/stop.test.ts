// Every way to stop the product ends all its processes and releases the port and the data folder.
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { bootstrap, envelopeOf, errorEvent, freePort, ingest, root, until } from '../product.ts'

type Process = { pid: number; parent: number; words: string }

function processes(): Process[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n')
  return lines.flatMap((line) => {
    const [, pid, parent, words = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? []
    return pid === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), words }]
  })
}

/** A process and its descendants, parents first. */
function treeOf(pid: number): Process[] {
  const all = processes()
  const found = all.filter((process) => process.pid === pid)
  for (const process of found) found.push(...all.filter((other) => other.parent === process.pid))
  return found
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('close', () => socket.destroy())
  })

/** Runs `npm start` in a new process group, like a terminal or a supervisor. */
async function startByNpm() {
  const port = await freePort()
  const data = mkdtempSync(join(tmpdir(), 'mishap-stop-'))
  const words = ['start', '--', '--port', String(port), '--host', '127.0.0.1', '--data', data]
  const npm = spawn('npm', words, { cwd: root, detached: true, stdio: 'ignore' })
  const url = `http://127.0.0.1:${port}`
  await until('health', 60_000, async () => (await fetch(`${url}/api/health/live`)).ok)
  const tree = treeOf(npm.pid ?? 0)
  const pidOf = (part: string) => tree.find((process) => process.words.includes(part))?.pid ?? 0
  return { port, data, url, npm: npm.pid ?? 0, tree, pidOf }
}
type Started = Awaited<ReturnType<typeof startByNpm>>

const ways: [string, (started: Started) => Promise<void> | void][] = [
  ['SIGTERM to npm', ({ npm }) => void process.kill(npm, 'SIGTERM')],
  ['kill -9 of npm', ({ npm }) => void process.kill(npm, 'SIGKILL')],
  ['SIGTERM to the starting script', ({ pidOf }) => void process.kill(pidOf('bootstrap.mjs start'), 'SIGTERM')],
  ['SIGTERM to process main', ({ pidOf }) => void process.kill(pidOf('src/processes/main.ts start'), 'SIGTERM')],
  ['Ctrl+C in a terminal', ({ npm }) => void process.kill(-npm, 'SIGINT')],
  [
    'Ctrl+C twice',
    async ({ npm }) => {
      process.kill(-npm, 'SIGINT')
      await pause(300)
      try {
        process.kill(-npm, 'SIGINT')
      } catch {
        // The first signal was enough, and all processes are gone.
      }
    },
  ],
]

test.each(ways)('%s ends all of it, with what was acknowledged', { timeout: 120_000 }, async (_name, end) => {
  const started = await startByNpm()
  try {
    const project = bootstrap(started, 'stop', 'web')
    const { status } = await ingest(started, project, envelopeOf(errorEvent('StopError', 'before the end')))
    expect(status).toBe(200)
    expect(started.tree.length).toBeGreaterThanOrEqual(4)
    await end(started)
    const pids = new Set(started.tree.map((process) => process.pid))
    // The product guarantees 5 s. The test waits longer, because its machine can be busy.
    await until('all to be gone', 30_000, async () => processes().every((process) => !pids.has(process.pid)))
    expect(await answers(started.port)).toBe(false)
    const main = join(root, 'src/processes/main.ts')
    const words = ['--disable-warning=ExperimentalWarning', main, 'verify', '--data', started.data]
    expect(execFileSync(process.execPath, words, { encoding: 'utf8' })).not.toMatch(/WRONG/)
  } finally {
    for (const { pid } of started.tree) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // The process is gone, as expected.
      }
    }
    rmSync(started.data, { recursive: true, force: true })
  }
})
