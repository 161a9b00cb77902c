import { MishapError } from '../errors.ts'
import { eventColumns } from '../store/events/encode.ts'
import type { EventRow, EventStore } from '../store/events/events.ts'

const column = (line: string, name: (typeof eventColumns)[number]) => line.split('\t')[eventColumns.indexOf(name)] ?? ''
const text = (line: string, name: (typeof eventColumns)[number]) =>
  column(line, name).replace(/\\(.)/g, (_all, one: string) => (one === 'n' ? '\n' : one === 't' ? '\t' : one))
const hex = (decimal: string) => BigInt(decimal).toString(16).padStart(16, '0')

/** What `settle` would read back of a line. */
const rowOf = (line: string): EventRow => ({
  projectId: Number(column(line, 'project_id')),
  groupHash: hex(column(line, 'group_hash')),
  hashes: column(line, 'hashes').slice(1, -1).split(',').map(hex),
  timestampUs: Date.parse(`${column(line, 'timestamp')}Z`) * 1000,
  receivedMs: Date.parse(`${column(line, 'received')}Z`),
  eventId: column(line, 'event_id').replaceAll('\\x', ''),
  jpos: Number(column(line, 'jpos')),
  gen: 0,
  userHash: '',
  level: text(line, 'level'),
  environment: text(line, 'environment'),
  release: text(line, 'release'),
  transaction: '',
  type: text(line, 'type'),
  platform: text(line, 'platform'),
  message: '',
  tags: {},
  traceId: '',
  digest: text(line, 'digest'),
  payload: text(line, 'payload'),
})

/** An events store in memory that keeps what a token brought once, and fails as it is told to. */
export function memoryEvents() {
  const rows = new Map<number, { line: string; token: string }>()
  const tokens = new Set<string>()
  const state = { fail: [] as ('before' | 'after' | 'content')[], inserts: 0, bad: '' }
  const lines = (tsv: Buffer) => tsv.toString('latin1').split('\n').filter(Boolean)
  const store: Partial<EventStore> = {
    insert: async (tsv, token) => {
      state.inserts++
      const fault = state.fail.shift()
      if (fault === 'before') throw new MishapError('STORE_UNAVAILABLE')
      if (state.bad && lines(tsv).some((line) => line.includes(state.bad)))
        throw new Error('Code: 27. Cannot parse input')
      if (!tokens.has(token)) for (const line of lines(tsv)) rows.set(keyOf(line), { line, token })
      tokens.add(token)
      if (fault === 'after') throw new MishapError('STORE_UNAVAILABLE')
    },
    settle: async (_token, from, to) =>
      [...rows].filter(([jpos]) => jpos >= from && jpos < to).map(([, { line }]) => rowOf(line)),
    recentIds: async () => [],
  }
  const keyOf = (line: string) => Number(column(line, 'jpos'))
  return { store: store as EventStore, rows, state }
}
