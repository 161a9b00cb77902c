// NODE_OPTIONS=--import loads this file into every process of the product. It kills at the n-th call of a named step.
// The product has no code for it.
import fs, { existsSync, promises, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { isMainThread } from 'node:worker_threads'
import { watchCommits, watchRequests, watchStatements } from './statements.ts'

/** Points between the steps of "Exactly once" in ARCHITECTURE.md, in their order. The first four are in ingest. */
export const steps = [
  'body-spooled',
  'record-written',
  'record-synced',
  'segment-begun',
  'intent-committed',
  'insert-begins',
  'insert-runs',
  'insert-answered',
  'commit-begins',
  'commit-done',
  'trim-asked',
  'segment-trimmed',
  'spool-deleted',
] as const
export type Step = (typeof steps)[number]

/** The processes to kill: all, process app alone, or process engine alone. */
const scopes = ['tree', 'app', 'engine'] as const
export type Scope = (typeof scopes)[number]

const {
  CRASH_STEP: wanted,
  CRASH_AT: at = '1',
  CRASH_SCOPE: scope = 'tree',
  CRASH_DONE: markFile = '',
  CRASH_DATA: data = '',
} = process.env

function engines(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
        return words.includes('engine.ts') && words.includes(data)
      } catch {
        return false
      }
    })
}

function begin(): void {
  let left = Number(at)
  const reached = (step: Step): void => {
    if (step !== wanted || existsSync(markFile) || --left > 0) return
    const found = scope === 'engine' ? engines() : []
    writeFileSync(markFile, step)
    if (scope === 'engine') for (const pid of found) process.kill(pid, 'SIGKILL')
    else process.kill(scope === 'tree' ? 0 : process.pid, 'SIGKILL')
  }
  watchSqlite(reached)
  watchHttp(reached)
  watchFiles(reached)
  const send = process.send?.bind(process)
  if (send)
    process.send = (message: unknown, ...rest: never[]) => {
      const sent = send(message as never, ...rest)
      if ((message as { kind?: string }).kind === 'trim') reached('trim-asked')
      return sent
    }
}

function watchSqlite(reached: (step: Step) => void): void {
  const markCommit = watchCommits(reached)
  watchStatements(
    (text) => (/insert into "batch"/i.test(text) ? 'intent' : /update "cursor"/i.test(text) ? 'cursor' : undefined),
    (kind: 'intent' | 'cursor') => {
      if (kind === 'cursor') markCommit()
      else reached('intent-committed')
    },
  )
}

function watchHttp(reached: (step: Step) => void): void {
  watchRequests((request, target) => {
    if (/insert(\+|%20)+into/i.test(target)) {
      reached('insert-begins')
      request.once('finish', () => setTimeout(() => reached('insert-runs'), Number(at) * 2))
      request.prependListener('response', () => reached('insert-answered'))
    }
    return undefined
  })
}

function watchFiles(reached: (step: Step) => void): void {
  const { fdatasync, writev, writevSync } = fs
  const { rename, rm } = promises
  fs.writev = ((...words: unknown[]) => {
    const done = words.pop() as (error: Error | null) => void
    const then = (...answer: never[]) => {
      reached('record-written')
      ;(done as (...all: never[]) => void)(...answer)
    }
    ;(writev as (...all: unknown[]) => void)(...words, then)
  }) as typeof fs.writev
  fs.writevSync = (...words) => {
    const bytes = writevSync(...words)
    reached('record-written')
    return bytes
  }
  fs.fdatasync = ((handle: number, done: (error: NodeJS.ErrnoException | null) => void) =>
    fdatasync(handle, (error) => {
      reached('record-synced')
      done(error)
    })) as typeof fs.fdatasync
  const { renameSync } = fs
  fs.renameSync = (from, to) => {
    renameSync(from, to)
    if (/journal\/(\d+\.seg|newest)$/.test(String(to))) reached('segment-begun')
  }
  promises.rename = async (from, to) => {
    await rename(from, to)
    if (/journal\/spare-/.test(String(to))) reached('segment-trimmed')
    if (/blobs\/spool/.test(String(to))) reached('body-spooled')
  }
  promises.rm = async (path, options) => {
    await rm(path, options)
    if (/blobs\/spool/.test(String(path))) reached('spool-deleted')
  }
  syncBuiltinESMExports()
}

if (wanted && isMainThread) begin()
