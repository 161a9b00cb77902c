import { type ChildProcess, spawn } from 'node:child_process'
import { setPriority } from 'node:os'
import { createInterface } from 'node:readline'
import type { Clock } from '../base/clock.ts'
import type { Observe } from '../base/observe.ts'

export type Child = {
  /** Sends over IPC. Returns false if the child is not running. */
  send(message: object): boolean
  up(): boolean
  pid(): number | undefined
  /** Sends SIGTERM, then SIGKILL after `ms`. Resolves when the child has exited. */
  stop(ms: number): Promise<void>
}

export type ChildOptions = {
  name: string
  file: string
  words: string[]
  nodeOptions?: string[]
  env: Record<string, string | undefined>
  clock: Clock
  observe: Observe
  message(message: unknown): void
  /** Called with true when the child reports 'up' over IPC, with false when it exits or stops answering. */
  changed?(up: boolean): void
  /** Queried every 6 s, every 2 s while it does not answer. The child then counts as down after 6 s and is killed after 30 s. */
  alive?(): Promise<boolean>
  /** Converts its standard output to log lines. Our own output is reserved for answers of the command. */
  wrapsOutput?: boolean
}

/** The first delay after an exit is short for a quick recovery. A child that keeps crashing restarts less often. */
const pauseMs = [50, 200, 500, 1000, 2000, 5000]

/** Counts queries and not time, so that a machine that wakes up from sleep kills no child. */
const probeMs = 2000
const missesAway = 3
const missesKilled = 15
/**
 * A child that answered is asked at every third probe only. A query costs the engine 5 ms of processor time. At each probe, that was a
 * quarter of what an idle product needs. A hang is noticed up to 4 s later.
 */
const probesOfAnswers = 3

/**
 * Children yield to the main process: requests that it misses are lost, while children only lag. On two full cores
 * ingest took 6,700 envelopes/s of 2 kB instead of 4,000. Children use all spare CPU, so an idle machine is as fast as
 * before. Set right after the start: Linux applies it to threads created later, not to running ones.
 */
const niceness = 10

function spawnChild(options: ChildOptions): ChildProcess {
  const { name, observe, nodeOptions = [], file } = options
  const words = ['--disable-warning=ExperimentalWarning', ...nodeOptions, file, ...options.words]
  const started = spawn(process.execPath, words, {
    stdio: ['ignore', options.wrapsOutput ? 'pipe' : 'inherit', 'inherit', 'ipc'],
    env: options.env as NodeJS.ProcessEnv,
    serialization: 'advanced',
  })
  if (started.pid !== undefined) setPriority(started.pid, niceness)
  if (started.stdout)
    createInterface({ input: started.stdout }).on('line', (line) => {
      // A slow start of Next.js says how long its configuration took: no news for the person who started Mishap.
      const level = /Running next\.config/.test(line) ? 'debug' : 'info'
      if (line.trim()) observe[level]({ child: name, line }, 'a child says')
    })
  return started
}

/** Queries the child, seldom while it answers. A hung child keeps its process, socket and channel. Returns the function to stop. */
function watchAnswers(
  options: ChildOptions,
  alive: () => Promise<boolean>,
  state: { isReady: boolean; misses: number; untilProbe: number },
  ways: { current(): ChildProcess; setUp(up: boolean): void },
): () => void {
  const { clock, observe, name } = options
  return clock.every(probeMs, () => {
    if (!state.isReady || --state.untilProbe > 0) return
    const probed = ways.current()
    const ms = ++state.misses * probeMs
    if (state.misses === missesAway) {
      observe.warn({ child: name, ms }, 'a child process does not answer')
      ways.setUp(false)
    }
    if (state.misses === missesKilled) {
      observe.error({ child: name, ms }, 'a child process did not answer in time and is killed')
      probed.kill('SIGKILL')
    }
    void alive().then((answers) => {
      if (!answers || probed !== ways.current() || !state.isReady) return
      Object.assign(state, { misses: 0, untilProbe: probesOfAnswers })
      ways.setUp(true)
    })
  })
}

/** Keeps a child process alive: restarts it on exit or hang until `stop`. It notices our exit by its IPC channel. */
export function supervise(options: ChildOptions): Child {
  const { clock, observe, name } = options
  const state = { stopping: false, up: false, failures: 0, startedMs: 0, misses: 0, untilProbe: 0, isReady: false }
  let child = start()
  const cancelProbe = options.alive
    ? watchAnswers(options, options.alive, state, { current: () => child, setUp })
    : undefined

  function setUp(up: boolean): void {
    if (state.up === up) return
    state.up = up
    options.changed?.(up)
  }

  function start(): ChildProcess {
    Object.assign(state, { startedMs: clock.now(), misses: 0, untilProbe: 0, isReady: false })
    const started = spawnChild(options)
    started.on('message', (message) => {
      if (message === 'up' || (message as { kind?: string }).kind === 'up') {
        state.isReady = true
        setUp(true)
      }
      options.message(message)
    })
    started.on('error', (error) =>
      observe.error({ child: name, error: error.message }, 'a child process could not be started'),
    )
    started.on('exit', (code, signal) => ended(code, signal))
    return started
  }

  function ended(code: number | null, signal: NodeJS.Signals | null): void {
    setUp(false)
    if (state.stopping) return
    state.isReady = false
    // A child that ran for a minute starts with a clean record.
    if (clock.now() - state.startedMs > 60_000) state.failures = 0
    const pause = pauseMs[Math.min(state.failures++, pauseMs.length - 1)] ?? 5000
    observe.warn({ child: name, code, signal, pause }, 'a child process ended; it restarts')
    clock.after(pause, () => {
      if (!state.stopping) child = start()
    })
  }

  const isAlive = () => child.exitCode === null && child.signalCode === null && child.pid !== undefined

  return {
    up: () => state.up,
    pid: () => child.pid,
    send: (message) => (isAlive() && child.connected ? child.send(message, () => undefined) : false),
    stop: async (ms) => {
      state.stopping = true
      cancelProbe?.()
      if (!isAlive()) return
      const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
      child.kill('SIGTERM')
      const cancel = clock.after(ms, () => child.kill('SIGKILL'))
      await exited
      cancel()
    },
  }
}
