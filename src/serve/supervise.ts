import { type ChildProcess, spawn } from 'node:child_process'
import type { Clock } from '../clock.ts'
import type { Observe } from '../observe.ts'

export type Child = {
  /** Sends over IPC; false when the child is not there. */
  send(message: object): boolean
  up(): boolean
  pid(): number | undefined
  /** SIGTERM, then SIGKILL after `ms`. Resolves when it is gone. */
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
  /** It says 'up' over IPC itself; false when it ended. */
  changed?(up: boolean): void
}

/** First pause after an end is short, so that health is back within seconds; a child that keeps dying is asked less often. */
const pauseMs = [50, 200, 500, 1000, 2000, 5000]

/** Keeps one child process alive: started again whenever it ends, until `stop`. Its IPC channel tells it that we are gone. */
export function supervise(options: ChildOptions): Child {
  const { clock, observe, name } = options
  const state = { stopping: false, up: false, failures: 0, startedMs: 0 }
  let child = start()

  function setUp(up: boolean): void {
    if (state.up === up) return
    state.up = up
    options.changed?.(up)
  }

  function start(): ChildProcess {
    state.startedMs = clock.now()
    const words = [
      '--disable-warning=ExperimentalWarning',
      ...(options.nodeOptions ?? []),
      options.file,
      ...options.words,
    ]
    const made = spawn(process.execPath, words, {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: options.env as NodeJS.ProcessEnv,
      serialization: 'advanced',
    })
    made.on('message', (message) => {
      if (message === 'up' || (message as { kind?: string }).kind === 'up') setUp(true)
      options.message(message)
    })
    made.on('error', (error) => observe.error({ child: name, error: error.message }, 'a child could not be started'))
    made.on('exit', (code, signal) => ended(code, signal))
    return made
  }

  function ended(code: number | null, signal: NodeJS.Signals | null): void {
    setUp(false)
    if (state.stopping) return
    // one that lived for a minute starts with a clean record
    state.failures = clock.now() - state.startedMs > 60_000 ? 0 : state.failures + 1
    const pause = pauseMs[Math.min(state.failures, pauseMs.length - 1)] ?? 5000
    observe.warn({ child: name, code, signal, pause }, 'a child ended and is started again')
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
      if (!isAlive()) return
      const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
      child.kill('SIGTERM')
      const cancel = clock.after(ms, () => child.kill('SIGKILL'))
      await gone
      cancel()
    },
  }
}
