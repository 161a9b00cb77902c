// What a peer must offer so that it can be measured, and what all peers need: installing, processes, disk space.
import { execFile, spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** A product that takes Sentry envelopes, with the facts that the table cannot show. */
export type Peer = {
  name: string
  /** What is on which disk before it answers 200, by its own settings. */
  durability: string
  /** The strongest failure that these settings survive. */
  survives: string
  /** Limits of the product that the run raises or turns off. */
  lifted: string
  /** Installs it unless it is in the cache, and returns its version. The error of a failure says why. */
  install(): Promise<string>
  /** Starts it on loopback with an empty data folder and one project. */
  start(): Promise<RunningPeer>
}

export type RunningPeer = {
  port: number
  /** Path and query to which envelopes of the project go. */
  path: string
  /** Folders that grow with the number of stored events. Logs and queues of bounded size are elsewhere. */
  stores: readonly string[]
  /** The first process of each process tree, databases included. */
  pids(): number[]
  /** Number of events that are processed and can be read. */
  stored(): Promise<number>
  /** Kills all its processes at once. */
  kill(): Promise<void>
  /** Starts it again after `kill`, on the same data and port. */
  startAgain(): Promise<void>
  /** Ends it and removes its data. */
  discard(): Promise<void>
}

/** The folder in which an installation of a peer is kept between runs, outside the repository. */
export function cacheFolder(name: string): string {
  const folder = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'mishap-peers', name)
  mkdirSync(join(folder, '..'), { recursive: true })
  return folder
}

const installMs = 15 * 60_000
const lastLine = (text: string): string => text.trim().split('\n').at(-1)?.slice(0, 300) ?? ''

/** Runs a command to its end and returns its output. The error is its last line. */
export async function run(
  command: string,
  words: readonly string[],
  options: { cwd?: string; env?: Record<string, string> } = {},
): Promise<string> {
  const env = { ...process.env, ...options.env }
  const settings = { ...options, env, timeout: installMs, maxBuffer: 64 * 2 ** 20 }
  try {
    return (await promisify(execFile)(command, words, settings)).stdout
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string }
    throw new Error(lastLine(stderr ?? '') || lastLine(message))
  }
}

/** Kills a process group when the bench itself ends early, such as with Ctrl+C. Returns a function that takes it back. */
export function endWithBench(pid: number): () => void {
  const kill = () => signalGroup(pid, 'SIGKILL')
  process.once('exit', kill)
  return () => process.off('exit', kill)
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal)
  } catch {
    // The whole group has exited.
  }
}

/** A server of a peer. `end` waits until its first process is gone; SIGKILL goes to its whole process group. */
export type Server = { pid: number; log(): string; ended(): boolean; end(signal: NodeJS.Signals): Promise<void> }

/** Starts a server in its own process group. Its output goes to `logFile`. */
export function startServer(
  command: string,
  words: readonly string[],
  options: { cwd: string; logFile: string; env?: Record<string, string> },
): Server {
  const out = openSync(options.logFile, 'a')
  const env = { ...process.env, ...options.env }
  const child = spawn(command, words, { cwd: options.cwd, env, stdio: ['ignore', out, out], detached: true })
  closeSync(out)
  const { pid } = child
  if (pid === undefined) throw new Error(`${command} does not start`)
  const ended = () => child.exitCode !== null || child.signalCode !== null
  const forget = endWithBench(pid)
  const end = async (signal: NodeJS.Signals) => {
    if (!ended()) {
      const gone = new Promise((resolve) => child.once('exit', resolve))
      if (signal === 'SIGKILL') signalGroup(pid, signal)
      else child.kill(signal)
      await gone
    }
    // What is left of the group, such as a worker that outlived its first process.
    signalGroup(pid, 'SIGKILL')
    forget()
  }
  return { pid, log: () => readFileSync(options.logFile, 'utf8'), ended, end }
}

/** Disk space that folders take, in bytes of allocated blocks. */
export async function diskBytes(folders: readonly string[]): Promise<number> {
  // A file that goes away meanwhile lets du fail, although it prints the sums.
  const text = await run('sh', ['-c', 'du -s --block-size=1 "$@" 2>/dev/null || true', 'sh', ...folders])
  return text
    .trim()
    .split('\n')
    .reduce((sum, line) => sum + Number(line.split('\t')[0]), 0)
}
