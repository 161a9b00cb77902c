import { hash } from 'node:crypto'
import type { OutcomeReason } from '../../../base/outcome.ts'
import type { Context } from '../../pipeline/context.ts'
import type { Draft } from '../../pipeline/draft.ts'
import { ended } from '../../pipeline/item-outcome.ts'
import type { Sent } from '../../pipeline/value.ts'
import { derivedId, type RecordWork } from '../kind.ts'
import { logRows, type SentLine } from './line.ts'
import { addLogRows, droppedLines, logKey } from './logs.ts'

/** Lines of one process, which are filtered together. */
export type LineUnit = { lines: readonly SentLine[]; draft(context: Context): Draft }

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
    const dropped = droppedLines(work, context, () => unit.draft(context))
    if (dropped)
      out.outcomes.push(
        ended(work, itemType, 'log_item', 'filtered', dropped, bytesOf(unit.lines.length), unit.lines.length),
      )
    for (let from = 0; from < unit.lines.length; from += groupMax) {
      const lines = unit.lines.slice(from, from + groupMax)
      if (!dropped) {
        const rows = logRows(lines, read.sent, context, { jpos: record.jpos, first: place })
        const key = index === 0 ? bodyKey : hash('md5', `${bodyKey}:${index}`, 'hex')
        const outcomes = [ended(work, itemType, 'log_item', 'stored', 'ok', bytesOf(lines.length), lines.length)]
        addLogRows(work, rows, { key, index, outcomes })
      }
      index++
      place += lines.length
    }
  }
}
