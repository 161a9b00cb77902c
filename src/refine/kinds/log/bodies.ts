import { hash } from 'node:crypto'
import type { OutcomeReason } from '../../../base/outcome.ts'
import type { Context } from '../../pipeline/context.ts'
import type { Draft } from '../../pipeline/draft.ts'
import { ended } from '../../pipeline/item-outcome.ts'
import type { Sent } from '../../pipeline/value.ts'
import { derivedId, type RecordWork } from '../kind.ts'
import { logRows, type SentLine } from './line.ts'
import { addLogRows, droppedLines, logKey } from './logs.ts'

/**
 * Lines of one source, and their drafts for the project's filters, by the number of the line. If they come from one
 * process, `judged` is `together`: the first line decides. Other lines are judged each by itself.
 */
export type LineUnit = {
  lines: readonly SentLine[]
  judged: 'together' | 'each'
  draftOf(context: Context, at: number): Draft
}

/** The lines of a body that is no envelope. */
export type LineBody = {
  /** The item type in the ledger. */
  itemType: string
  units: readonly LineUnit[]
  /** The body, and its text if it is JSON that needed no repair. */
  body: Buffer
  sent: Sent | undefined
  /** Lines that become no rows, by reason. */
  invalid: readonly (readonly [reason: OutcomeReason, quantity: number])[]
}

/** Lines that are stored or refused together. */
const groupMax = 1000

/** The number of items that a body counts as: each line, or 1 for a body without any. */
export const countOfBody = ({ units, invalid }: LineBody): number =>
  Math.max(1, units.reduce((sum, { lines }) => sum + lines.length, 0) + invalid.reduce((sum, [, n]) => sum + n, 0))

/**
 * The reasons why the project's filters drop lines of a unit, by the number of the line; undefined: it is kept. `first`: the
 * place of its first line.
 */
function filterOf(
  work: RecordWork,
  context: Context,
  unit: LineUnit,
  first: number,
): (at: number) => OutcomeReason | undefined {
  const reasonOf = (at: number, count: number) =>
    droppedLines(work, context, { first: first + at, count }, () => unit.draftOf(context, at))
  if (unit.judged === 'each') return (at) => reasonOf(at, 1)
  const reason = reasonOf(0, unit.lines.length)
  return () => reason
}

/** Stores the lines of a body in groups of at most 1,000, each of one unit. Each line has its own outcome. */
export function refineLines(work: RecordWork, read: LineBody): void {
  const { head, settings, tools, record, out } = work
  const { itemType, units, body, invalid } = read
  const total = countOfBody(read)
  const bytesOf = (quantity: number) => Math.floor((body.length * quantity) / total)
  for (const [reason, quantity] of invalid)
    if (quantity > 0)
      out.outcomes.push(ended(work, itemType, 'log_item', 'invalid', reason, bytesOf(quantity), quantity))
  const context: Context = {
    head,
    eventId: derivedId(work, 0),
    sentMs: undefined,
    settings,
    tools,
    maps: undefined,
  }
  const bodyKey = logKey(body)
  // Index and place of a group do not depend on what is filtered: a recovery must find them again.
  let [index, place] = [0, 0]
  for (const unit of units) {
    const reasonOf = filterOf(work, context, unit, place)
    const dropped = new Map<OutcomeReason, number>()
    for (let from = 0; from < unit.lines.length; from += groupMax) {
      const chunk = unit.lines.slice(from, from + groupMax)
      const places: number[] = []
      const lines = chunk.filter((_line, at) => {
        const reason = reasonOf(from + at)
        if (reason) dropped.set(reason, (dropped.get(reason) ?? 0) + 1)
        else places.push(place + at)
        return !reason
      })
      if (lines.length > 0) {
        const rows = logRows(lines, read.sent, context, { jpos: record.jpos, placeOf: (at) => places[at] ?? place })
        const key = index === 0 ? bodyKey : hash('md5', `${bodyKey}:${index}`, 'hex')
        const outcomes = [ended(work, itemType, 'log_item', 'stored', 'ok', bytesOf(lines.length), lines.length)]
        addLogRows(work, rows, { key, index, outcomes })
      }
      index++
      place += chunk.length
    }
    for (const [reason, quantity] of dropped)
      out.outcomes.push(ended(work, itemType, 'log_item', 'filtered', reason, bytesOf(quantity), quantity))
  }
}
