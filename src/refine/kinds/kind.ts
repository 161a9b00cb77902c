import { hash } from 'node:crypto'
import type { OutcomeCount, OutcomeReason } from '../../base/outcome.ts'
import type { JournalRecord, RecordHead, RecordKind } from '../../journal/journal.ts'
import type { EventStore } from '../../store/events/event-store.ts'
import type { TableName, TableRows } from '../../store/events/tables.ts'
import type { BatchEffects, EventEffect, ProjectSettings } from '../../store/meta/meta.ts'
import type { EnvelopeItem } from '../../wire/envelope.ts'
import type { FormField } from '../../wire/minidump.ts'
import type { Tools } from '../pipeline/context.ts'
import type { Forms } from '../pipeline/lines.ts'
import type { MapSource } from '../symbolicate/frames.ts'
import type { Attachment } from './attachment/attachment.ts'
import type { OpenDumps, readOpened } from './minidump/upload.ts'

/** What rows of any table are stored, counted, deduplicated and kept as a dead letter by. */
export type GroupFacts = {
  /** The memory of repeats that it is looked up in, and the key that it is known by there (32 hex). */
  window: string
  key: string
  projectId: number
  receivedMs: number
  /** Position of the rows, and the number of the first one there; the others follow it. */
  jpos: number
  place: number
  /** Which event (`only`) or which item (`onlyItem`) of its record it is: a dead letter names it so. */
  index: number
  part: 'only' | 'onlyItem'
  /** Outcomes once the rows are stored: the item's own first, then those of what it held. */
  outcomes: OutcomeCount[]
  /** What the commit does with an event. */
  effect?: EventEffect
}

type GroupOf<Name extends TableName> = GroupFacts & {
  table: Name
  rows: readonly TableRows[Name][]
  /** Both JSON forms of an event, which go into its line as they are. */
  forms?: Forms
}

/** Rows that are stored, counted or refused together: an event, or the spans of one item. */
export type RowGroup = { [Name in TableName]: GroupOf<Name> }[TableName]

/** What the commit of a batch writes beside rows and outcomes, by its name in `BatchEffects`. */
export type KindEffects = Required<Pick<BatchEffects, 'feedback' | 'samples' | 'releases'>>

/** No effects: every list, empty. */
export const noEffects = (): KindEffects => ({ feedback: [], samples: [], releases: [] })

/** What a record became. */
export type Refined = {
  groups: RowGroup[]
  effects: KindEffects
  /** The blob has to be on disk before the row is committed. `outcome`: its own, once it is stored. */
  attachments: (Attachment & { outcome: OutcomeCount })[]
  /** Everything that ended otherwise. */
  outcomes: OutcomeCount[]
  /** How many items the record brought, by `countsAs` of each: the figure that the outcomes are held against. */
  received: number
}

/**
 * In a recovery: positions whose rows are stored already, by table. No filter takes those out: it may have been set after
 * they were stored.
 */
export type StoredPositions = ReadonlyMap<TableName, ReadonlySet<number>>

/** What refining one record works with. Kinds add to `out`. */
export type RecordWork = {
  record: JournalRecord
  head: RecordHead
  settings: ProjectSettings
  tools: Tools
  out: Refined
  /** Ids of events that were filtered, and why: what belongs to them goes with them. */
  discarded: Map<string, OutcomeReason>
  /** Events of the record so far, and which of them were filtered: numbers must not move when an issue is deleted. */
  made: number
  discardedAt: Map<number, OutcomeReason>
  dumps: OpenDumps
  maps: MapSource | undefined
  /** The minidump that the record's event is about. */
  dump: (ReturnType<typeof readOpened> & { fields: FormField[] }) | undefined
  stored: StoredPositions | undefined
  /** What the envelope says about all of its items. */
  envelope: EnvelopeFacts
}

type EnvelopeFacts = {
  /** The event id that it names. */
  named: string | undefined
  sentMs: number | undefined
  /** Its header `trace`, as sent. */
  trace: unknown
  /** The event that its attachments belong to, once all else is refined; `foreign`: what they belong to is not stored. */
  ownerId: string | undefined
  foreign: boolean
}

/** An item of an envelope; `index`: which one (0 = the first). */
export type PlacedItem = { item: EnvelopeItem; index: number }

/** A kind of item, by the payload that it reads. */
type ItemKind<Payload> = {
  /** As the wire names its items (`wire/item-types.ts` has their category and limits). */
  itemTypes: readonly string[]
  /** After all other items: what it makes depends on what they became. */
  isLast?: true
  /** Reads the payload, once. Bad data never throws. */
  read(placed: PlacedItem, envelope: EnvelopeFacts): Payload
  /** How many items of the ledger it is: 1, and more where entries of a list end each for itself. Asked before `refine`. */
  countsAs(payload: Payload, placed: PlacedItem): number
  /** Adds rows, effects and outcomes to `work.out`: as many outcomes as `countsAs` said. */
  refine(work: RecordWork, payload: Payload, placed: PlacedItem): void
}

/** A record whose body is no envelope. */
type BodyKind<Payload> = {
  record: Exclude<RecordKind, 'envelope' | 'outcomes'>
  read(work: RecordWork, body: Buffer): Payload
  countsAs(payload: Payload): number
  refine(work: RecordWork, payload: Payload, body: Buffer): void
}

/** A kind whose payload is its own affair: what the stages loop over. */
export type AnyItemKind = Pick<ItemKind<unknown>, 'itemTypes' | 'isLast'> & {
  take(work: RecordWork, placed: PlacedItem): void
}
export type AnyBodyKind = Pick<BodyKind<unknown>, 'record'> & { take(work: RecordWork, body: Buffer): void }

/** A memory of what came within the last hour: it comes again as a duplicate. */
export type RepeatWindow = {
  name: string
  /** Keys that it holds at most, 16 bytes each. */
  max: number
  /** Keys that were stored since `sinceMs`, newest first: what a start reads back. Left out: nothing is read back. */
  recent?(events: EventStore, sinceMs: number): Promise<{ projectId: number; key: string }[]>
}

/** Reads, counts, then refines each item of a kind. */
export const itemKind = <Payload>({ read, countsAs, refine, ...kind }: ItemKind<Payload>): AnyItemKind => ({
  ...kind,
  take: (work, placed) => {
    const payload = read(placed, work.envelope)
    work.out.received += countsAs(payload, placed)
    refine(work, payload, placed)
  },
})

/** The same of a record's body. */
export const bodyKind = <Payload>({ record, read, countsAs, refine }: BodyKind<Payload>): AnyBodyKind => ({
  record,
  take: (work, body) => {
    const payload = read(work, body)
    work.out.received += countsAs(payload)
    refine(work, payload, body)
  },
})

/** 32 hex out of the record's place: the same when it is refined again. */
export const derivedId = ({ head, record }: RecordWork, index: number): string =>
  hash('md5', `${head.projectId}:${record.jpos}:${index}`, 'hex')

/** Whether rows of a table are stored already at this position. */
export const isStored = ({ stored }: RecordWork, table: TableName, jpos: number): boolean =>
  stored?.get(table)?.has(jpos) === true

/** How many items these outcomes count; what a client discarded itself never came. */
export const sumOf = (outcomes: readonly OutcomeCount[]): number =>
  outcomes.reduce((sum, entry) => sum + (entry.outcome === 'client_discard' ? 0 : entry.quantity), 0)
