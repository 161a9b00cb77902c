import { MishapError } from '../base/errors.ts'
import { eventColumns } from '../store/events/encode.ts'
import type { EventStore } from '../store/events/event-store.ts'
import type { EventRow } from '../store/events/events.ts'
import { linesOf } from '../store/events/row-file.ts'
import { spanColumns } from '../store/events/traces/encode-span.ts'

const column = (line: string, name: (typeof eventColumns)[number]) => line.split('\t')[eventColumns.indexOf(name)] ?? ''
const text = (line: string, name: (typeof eventColumns)[number]) =>
  column(line, name).replace(/\\(.)/g, (_all, match: string) => (match === 'n' ? '\n' : match === 't' ? '\t' : match))
const hex = (decimal: string) => BigInt(decimal).toString(16).padStart(16, '0')

/** The fields of a line that `settle` would read back. */
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
  frames: [],
  payload: text(line, 'payload'),
})

/**
 * An in-memory events store that fails on request, like the real one. It stores the rows of a token once, but a row as
 * often as it is inserted. It writes a token down before the rows: an insert that fails `before` them makes the store
 * drop later rows under the same token.
 */
export function memoryEvents() {
  const rows: { jpos: number; line: string; token: string }[] = []
  const tokens = new Set<string>()
  const state = {
    fail: [] as ('before' | 'after')[],
    inserts: 0,
    /** The store refuses every row that contains this word, and its whole batch. */
    bad: '',
    /** The calls in order: `insert` when it finishes, `settle`. */
    calls: [] as { what: 'insert' | 'settle'; token: string }[],
    /** Resolves when an insert may begin, for tests that change the order of two inserts. */
    gate: undefined as ((token: string) => Promise<void>) | undefined,
  }
  /** The same for spans, which are identified by record and place. */
  const spans = {
    lines: [] as string[],
    fail: [] as ('before' | 'after')[],
    inserts: 0,
    bad: '',
    gate: undefined as ((token: string) => Promise<void>) | undefined,
  }
  const lines = (tsv: Buffer) => tsv.toString('latin1').split('\n').filter(Boolean)
  const take = (known: { fail: ('before' | 'after')[]; inserts: number; bad: string }, tsv: Buffer, token: string) => {
    const fault = known.fail.shift()
    if (known.bad && lines(tsv).some((line) => line.includes(known.bad)))
      throw new Error('Code: 27. Cannot parse input')
    const isKnown = tokens.has(token)
    tokens.add(token)
    if (fault === 'before') throw new MishapError('STORE_UNAVAILABLE')
    return { kept: isKnown ? [] : lines(tsv), isHeard: fault !== 'after' }
  }
  const store: Partial<EventStore> = {
    insert: async (table, tsv, token) => {
      const known = table === 'events' ? state : spans
      known.inserts++
      await (table === 'events' ? state : spans).gate?.(token)
      const { kept, isHeard } = take(known, linesOf(tsv), token)
      if (table === 'events') for (const line of kept) rows.push({ jpos: keyOf(line), line, token })
      else spans.lines.push(...kept)
      if (table === 'events') state.calls.push({ what: 'insert', token })
      if (!isHeard) throw new MishapError('STORE_UNAVAILABLE')
    },
    settle: async (table, token, from, to) => {
      if (table === 'events') state.calls.push({ what: 'settle', token })
      const all = table === 'events' ? rows.map(({ jpos }): [number, number] => [jpos, 0]) : spans.lines.map(placeOf)
      const found = Map.groupBy(
        all.filter(([jpos]) => jpos >= from && jpos < to),
        ([jpos]) => jpos,
      )
      return new Map([...found].map(([jpos, places]) => [jpos, new Set(places.map(([, place]) => place))]))
    },
    eventsBetween: async (from, to) =>
      rows.filter(({ jpos }) => jpos >= from && jpos < to).map(({ line }) => rowOf(line)),
    recentIds: async () => [],
    recentTransactions: async () => [],
    recentTotals: async () => [],
  }
  const keyOf = (line: string) => Number(column(line, 'jpos'))
  const spanField = (line: string, name: (typeof spanColumns)[number]) =>
    line.split('\t')[spanColumns.indexOf(name)] ?? ''
  const placeOf = (line: string): [number, number] => [
    Number(spanField(line, 'jpos')),
    Number(spanField(line, 'place')),
  ]
  return { store: store as EventStore, rows, state, spans, spanField }
}
