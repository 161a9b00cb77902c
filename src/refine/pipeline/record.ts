import type { JournalRecord } from '../../journal/journal.ts'
import type { ProjectSettings } from '../../store/meta/meta.ts'
import { parseEnvelope } from '../../wire/envelope.ts'
import { normalizeId } from '../../wire/ids.ts'
import { findOwner } from '../kinds/attachment/items.ts'
import { seconds } from '../kinds/error/time.ts'
import { noEffects, type RecordWork, type Refined, type RowGroup, type StoredPlaces, sumOf } from '../kinds/kind.ts'
import { bodyKindOf, kindOf } from '../kinds/kinds.ts'
import { extractDump } from '../kinds/minidump/crashes.ts'
import type { OpenDumps } from '../kinds/minidump/upload.ts'
import type { MapSource } from '../symbolicate/frames.ts'
import { createTools, type Tools } from './context.ts'
import { ended } from './item-outcome.ts'

/**
 * Turns a journal record and its decompressed body (from the record or its spool) into rows, effects and outcomes.
 * Pure: the same record gives the same result, including ids and blob keys. `tools` are caches, `dumps` its
 * decompressed minidumps, `maps` the loaded source maps of the project. Bad data never throws. `stored`: places of
 * stored rows. Filters do not drop those, because the filter can be newer than the rows.
 */
export function refineRecord(
  record: JournalRecord,
  body: Buffer,
  settings: ProjectSettings,
  tools: Tools = createTools(),
  dumps: OpenDumps = new Map(),
  maps?: MapSource,
  stored?: StoredPlaces,
): Refined {
  const { head } = record
  const work: RecordWork = {
    record,
    head,
    settings,
    tools,
    out: nothing(),
    discarded: new Map(),
    made: 0,
    discardedAt: new Map(),
    dumps,
    maps,
    dump: undefined,
    stored,
    skipped: new Map(),
    envelope: { named: undefined, sentMs: undefined, trace: undefined, ownerId: undefined, foreign: false },
  }
  if (head.kind === 'envelope') refineEnvelope(work, body)
  else bodyKindOf(head.kind)?.take(work, body)
  if (head.onlyItem !== undefined) return onlyItem(work.out, head.onlyItem, head.kind !== 'envelope')
  return head.only === undefined ? work.out : onlyEvent(work, head.only, body.length)
}

const nothing = (): Refined => ({
  groups: [],
  effects: noEffects(),
  attachments: [],
  outcomes: [],
  received: 0,
})

const only = (groups: RowGroup[]): Refined => ({
  ...nothing(),
  groups,
  received: sumOf(groups.flatMap(({ outcomes }) => outcomes)),
})

/** Replays one event of a record whose others are stored. Gives one outcome, whatever the rules decide now. */
function onlyEvent(work: RecordWork, index: number, bytes: number): Refined {
  const found = work.out.groups.find((group) => group.part === 'only' && group.index === index)
  if (found) return only([found])
  const gone = work.discardedAt.get(index)
  const end = ended(work, 'event', 'error', gone ? 'filtered' : 'invalid', gone ?? 'bad_item', bytes)
  return { ...nothing(), outcomes: [end], received: 1 }
}

/**
 * The rows of one replayed item. Parts of it that became no row had their outcome the first time. `hasOthers`: the record
 * is no envelope, so all of its items were refined.
 */
function onlyItem(out: Refined, index: number, hasOthers: boolean): Refined {
  const groups = out.groups.filter((group) => group.part === 'onlyItem' && (!hasOthers || group.index === index))
  return groups.length > 0 ? only(groups) : out
}

function refineEnvelope(work: RecordWork, body: Buffer): void {
  const { value } = parseEnvelope(body)
  if (!value) {
    work.out.received = 1
    work.out.outcomes.push(ended(work, 'envelope', 'unknown', 'invalid', 'bad_envelope', body.length))
    return
  }
  const { envelope, head } = work
  const sentS = value.header.sentAt === undefined ? undefined : seconds(value.header.sentAt)
  envelope.named = value.header.eventId ?? normalizeId(head.eventId)
  envelope.sentMs = sentS === undefined ? undefined : sentS * 1000
  envelope.trace = value.header.all['trace']
  const skip = new Set(head.skip)
  const items = value.items
    .map((item, index) => ({ item, index }))
    .filter(({ index }) => (head.onlyItem === undefined ? !skip.has(index) : index === head.onlyItem))
  extractDump(work, items)
  for (const placed of items) {
    const kind = kindOf(placed.item.type)
    if (!kind.isLast) kind.take(work, placed)
  }
  findOwner(work, items)
  for (const placed of items) {
    const kind = kindOf(placed.item.type)
    if (kind.isLast) kind.take(work, placed)
  }
}
