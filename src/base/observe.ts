import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import pino from 'pino'
import { callsOf, MishapError } from './errors.ts'

/** Our own log output, without any event content. The users' logs are a different thing ("log"). */
export type Observe = {
  debug(fields: Record<string, unknown>, sentence: string): void
  info(fields: Record<string, unknown>, sentence: string): void
  warn(fields: Record<string, unknown>, sentence: string): void
  error(fields: Record<string, unknown>, sentence: string): void
}

/** The request of the running code, across everything that it awaits. */
export type RequestScope = { run<T>(id: string, work: () => T): T; id(): string | undefined }

/** Creates the scope of one process. */
export function createRequestScope(): RequestScope {
  const storage = new AsyncLocalStorage<string>()
  return { run: (id, work) => storage.run(id, work), id: () => storage.getStore() }
}

/** Values that log lines can include unchanged: a proxy's id, but nothing that looks like another line or field. */
const saneId = /^[\w.:=+/-]{8,128}$/

/** Returns the id of a request: its x-request-id if valid, else a new id. */
export function requestIdOf(headers: Record<string, string | string[] | undefined>): string {
  const requestId = headers['x-request-id']
  return typeof requestId === 'string' && saneId.test(requestId) ? requestId : randomUUID()
}

const ours = /\/(?:src|dist)\/[^\s)]+:\d+/g
const textMax = 300

/**
 * Formats an error for a log line without the data that its message can quote. The language's own errors quote data
 * ("Unexpected token … in JSON"), and so does the events store. Those only show name, code and the places in our code.
 */
export function faultOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  if (error instanceof MishapError) return `${error.code}: ${error.message}`.slice(0, textMax)
  const { code, type } = error as Error & { code?: unknown; type?: unknown }
  const frames = [...callsOf(error).matchAll(ours)].slice(0, 4).map(([frame]) => frame)
  const plain = error.constructor === Error && code === undefined
  const words = [
    plain ? `${error.name}: ${error.message.slice(0, textMax)}` : error.name,
    typeof code === 'string' || typeof code === 'number' ? String(code).slice(0, 40) : '',
    typeof type === 'string' ? type.slice(0, 60) : '',
    frames.length > 0 && !plain ? `at ${frames.join(' ')}` : '',
  ]
  return words.filter((word) => word !== '').join(' ')
}

const levelOf: Record<number, { name: string; colour: number }> = {
  20: { name: 'debug', colour: 90 },
  30: { name: 'info', colour: 32 },
  40: { name: 'warn', colour: 33 },
  50: { name: 'error', colour: 31 },
}

/** Formats a JSON line for a terminal: time of day, level, process, sentence, then the fields. */
export function prettyLine(line: string): string {
  const { level, time, part, msg, ...fields } = JSON.parse(line) as Record<string, unknown>
  const { name, colour } = levelOf[Number(level)] ?? { name: String(level), colour: 0 }
  const pairs = Object.entries(fields).map(([key, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return `\u001b[90m${key}=\u001b[0m${text.replace(/[^\x20-\x7e\u00a0-\uffff]/g, ' ')}`
  })
  const head = `\u001b[90m${String(time).slice(11, 23)}\u001b[0m \u001b[${colour}m${name.padEnd(5)}\u001b[0m`
  return `${[head, String(part).padEnd(6), String(msg), ...pairs].join(' ')}\n`
}

type ObserveOptions = {
  /** Returns the current request. Called for each line. */
  requestId?: () => string | undefined
  /** Output of the lines. Default: standard error, because standard output belongs to the command's result. */
  write?: (line: string) => void
  /** Formats lines for a terminal. Default: whether standard error is a terminal. */
  pretty?: boolean
}

/** Creates the logger: JSON, or formatted lines for a terminal. `part` names the process. */
export function createObserve(part: string, level: string, options: ObserveOptions = {}): Observe {
  const { requestId, pretty = process.stderr.isTTY === true } = options
  const plain = pino.destination({ fd: 2, sync: true })
  const write = options.write ?? ((line: string) => void plain.write(line))
  return pino(
    {
      level,
      base: { part },
      timestamp: pino.stdTimeFunctions.isoTime,
      mixin: () => {
        const id = requestId?.()
        return id === undefined ? {} : { requestId: id }
      },
    },
    { write: pretty ? (line: string) => write(prettyLine(line)) : write },
  )
}

/** Logs nothing. For tests that do not check log lines. */
export const silent: Observe = { debug() {}, info() {}, warn() {}, error() {} }
