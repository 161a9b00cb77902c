import { hash } from 'node:crypto'
import type { OutcomeCount, OutcomeReason } from '../../base/outcome.ts'
import type { JournalRecord, RecordHead, RecordKind } from '../../journal/journal.ts'
import type { EventStore } from '../../store/events/event-store.ts'
import type { Places } from '../../store/events/table.ts'
import type { TableName, TableRows } from '../../store/events/tables.ts'
import type { BatchEffects, EventEffect, ProjectSettings } from '../../store/meta/meta.ts'
import type { EnvelopeItem } from '../../wire/envelope.ts'
import type { FormField } from '../../wire/minidump.ts'
import type { Tools } from '../pipeline/context.ts'
import type { Forms } from '../pipeline/lines.ts'
import type { MapSource } from '../symbolicate/frames.ts'
import type { Attachment } from './attachment/attachment.ts'
import type { OpenDumps, readOpened } from './minidump/upload.ts'

/** The data needed to store, count, deduplicate or quarantine rows of any table. */
export type GroupDetails = {
  /** The dedup window, and the key in it (32 hex digits). */
  window: string
  key: string
  projectId: number
  receivedMs: number
  /** The position of the rows, and the number of the first row there. The others follow it. */
  jpos: number
  place: number
  /** The numbers of all rows, where filters leave rows out between others. */
  places?: readonly number[]
  /** The event (`only`) or item (`onlyItem`) of its record, as a dead letter names it. */
  index: number
  part: 'only' | 'onlyItem'
  /** The outcomes if the rows are stored: first the item's own, then those of its contents. */
  outcomes: OutcomeCount[]
  /** The effect of an event on the commit. */
  effect?: EventEffect
}

type GroupOf<Name extends TableName> = GroupDetails & {
  table: Name
  rows: readonly TableRows[Name][]
  /** Both JSON forms of an event. They go into its line unchanged. */
  forms?: Forms
}

/** Rows that are stored, counted or refused together: an event, or the spans of one item. */
export type RowGroup = { [Name in TableName]: GroupOf<Name> }[TableName]

/** Effects of a commit besides rows and outcomes, by their names in `BatchEffects`. */
export type KindEffects = Required<Pick<BatchEffects, 'feedback' | 'samples' | 'releases'>>

/** Effects with empty lists. */
export const noEffects = (): KindEffects => ({ feedback: [], samples: [], releases: [] })

/** The result of refining a record. */
export type Refined = {
  groups: RowGroup[]
  effects: KindEffects
  /** The blob must be on disk before the row is committed. `outcome`: its own, once it is stored. */
  attachments: (Attachment & { outcome: OutcomeCount })[]
  /** All other outcomes. */
  outcomes: OutcomeCount[]
  /** Items in the record: the sum of `countsAs`. The ledger compares it with the outcomes. */
  received: number
}

/**
 * In a recovery: the places of stored rows, by table and position. Filters do not drop those rows, because the filter can
 * be newer. Other rows of the same record were dropped or are missing, so the filters judge them again.
 */
export type StoredPlaces = ReadonlyMap<TableName, Places>

/** The state of refining one record. Kinds add to `out`. */
export type RecordWork = {
  record: JournalRecord
  head: RecordHead
  settings: ProjectSettings
  tools: Tools
  out: Refined
  /** Ids of filtered events, and the reason. Items that belong to such an event are dropped too. */
  discarded: Map<string, OutcomeReason>
  /** Number of events in the record so far, and the filtered ones. Deleting an issue must not change positions. */
  made: number
  discardedAt: Map<number, OutcomeReason>
  dumps: OpenDumps
  maps: MapSource | undefined
  /** The minidump of the record's event. */
  dump: (ReturnType<typeof readOpened> & { fields: FormField[] }) | undefined
  stored: StoredPlaces | undefined
  /** Places of filtered items, by table. They stay free, so later rows keep their places if the item is stored. */
  skipped: Map<TableName, number>
  /** The envelope's data that applies to all of its items. */
  envelope: EnvelopeDetails
}

type EnvelopeDetails = {
  /** The event id in the envelope header. */
  named: string | undefined
  sentMs: number | undefined
  /** The envelope header `trace`, as sent. */
  trace: unknown
  /** The event of its attachments, known once all other items are refined. `foreign`: their owner is not stored. */
  ownerId: string | undefined
  foreign: boolean
}

/** An item of an envelope. `index` is 0 for the first. */
export type PlacedItem = { item: EnvelopeItem; index: number }

/** A kind of item with its payload type. */
type ItemKind<Payload> = {
  /** The item types on the wire. `wire/item-types.ts` has their categories and limits. */
  itemTypes: readonly string[]
  /** Refined after all other items, because it depends on their results. */
  isLast?: true
  /** Reads the payload once. Bad data never throws. */
  read(placed: PlacedItem, envelope: EnvelopeDetails): Payload
  /** The number of items in the ledger: 1, or that of list entries with own outcomes. Called before `refine`. */
  countsAs(payload: Payload, placed: PlacedItem): number
  /** Adds rows, effects and outcomes to `work.out`: as many outcomes as `countsAs` returned. */
  refine(work: RecordWork, payload: Payload, placed: PlacedItem): void
}

/** A record whose body is not an envelope. */
type BodyKind<Payload> = {
  record: Exclude<RecordKind, 'envelope' | 'outcomes'>
  read(work: RecordWork, body: Buffer): Payload
  countsAs(payload: Payload): number
  refine(work: RecordWork, payload: Payload, body: Buffer): void
}

/** A kind with a hidden payload type, for the loops over all kinds. */
export type AnyItemKind = Pick<ItemKind<unknown>, 'itemTypes' | 'isLast'> & {
  take(work: RecordWork, placed: PlacedItem): void
}
export type AnyBodyKind = Pick<BodyKind<unknown>, 'record'> & { take(work: RecordWork, body: Buffer): void }

/** A dedup window. A key that arrives again within an hour is a duplicate. */
export type RepeatWindow = {
  name: string
  /** Maximum number of keys, 16 bytes each. */
  max: number
  /** Keys stored since `sinceMs`, newest first, for a start. If absent, a start reads nothing back. */
  recent?(events: EventStore, sinceMs: number): Promise<{ projectId: number; key: string }[]>
}

/** Defines a kind of item: reads, counts, then refines each of its items. */
export const itemKind = <Payload>({ read, countsAs, refine, ...kind }: ItemKind<Payload>): AnyItemKind => ({
  ...kind,
  take: (work, placed) => {
    const payload = read(placed, work.envelope)
    work.out.received += countsAs(payload, placed)
    refine(work, payload, placed)
  },
})

/** Defines a kind of record body in the same way. */
export const bodyKind = <Payload>({ record, read, countsAs, refine }: BodyKind<Payload>): AnyBodyKind => ({
  record,
  take: (work, body) => {
    const payload = read(work, body)
    work.out.received += countsAs(payload)
    refine(work, payload, body)
  },
})

/** An id of 32 hex digits from the record's position. It is the same if the record is refined again. */
export const derivedId = ({ head, record }: RecordWork, index: number): string =>
  hash('md5', `${head.projectId}:${record.jpos}:${index}`, 'hex')

/** Whether a table already has stored rows at this position. */
export const isStored = ({ stored }: RecordWork, table: TableName, jpos: number): boolean =>
  stored?.get(table)?.has(jpos) === true

/** Whether the record already has a stored row at one of `count` places from `first` on. */
export function isStoredAt({ stored, record }: RecordWork, table: TableName, first: number, count: number): boolean {
  const places = stored?.get(table)?.get(record.jpos)
  if (!places) return false
  for (let place = first; place < first + count; place++) if (places.has(place)) return true
  return false
}

/** The first free place of the record in a table. Each row needs its own. */
export const nextPlace = ({ out, skipped }: RecordWork, table: TableName): number =>
  out.groups.reduce((sum, group) => sum + (group.table === table ? group.rows.length : 0), skipped.get(table) ?? 0)

/** Leaves out the places of rows that are filtered. */
export function skipPlaces({ skipped }: RecordWork, table: TableName, count: number): void {
  skipped.set(table, (skipped.get(table) ?? 0) + count)
}

/** The number of items in these outcomes. Discards of a client were never received and do not count. */
export const sumOf = (outcomes: readonly OutcomeCount[]): number =>
  outcomes.reduce((sum, entry) => sum + (entry.outcome === 'client_discard' ? 0 : entry.quantity), 0)
