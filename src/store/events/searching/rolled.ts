import type { Scope } from '../events.ts'
import type { Aggregate, Question, Value } from '../question.ts'
import { aheadMs, type Values } from '../reading/filter.ts'
import { logRollupName, rolledFields, slotMs } from '../schema/log-rollup.ts'

// Counts of log lines from the rollup. It has whole slots: the lines of a range before its first and after its last whole
// slot are counted themselves, so the numbers are the same.

/** A shorter range has few lines. */
const slotsMin = 12

/** Whole slots of a range. */
export type Slots = { fromMs: number; toMs: number }

/** The whole slots of a range; undefined if there are too few. */
export function slotsOf({ fromMs, toMs }: Scope): Slots | undefined {
  const slots = { fromMs: Math.ceil(fromMs / slotMs) * slotMs, toMs: Math.floor(toMs / slotMs) * slotMs }
  return slots.toMs - slots.fromMs >= slotsMin * slotMs ? slots : undefined
}

/** The slots from which a question without a filter is answered; undefined if it reads rows. */
export const slotsOfQuestion = ({ from, by, scope, filter }: Question): Slots | undefined =>
  from === 'logs' && by === undefined && filter === undefined ? slotsOf(scope) : undefined

/** The rows of the rollup that have the values of a text column, and the column there; undefined if none has. */
export function rolledColumn(column: string): { field: string; sql: string } | undefined {
  if (column === 'level' || column === 'environment') return { field: '', sql: column }
  return rolledFields.some((field) => field === column) ? { field: column, sql: 'value' } : undefined
}

/** Whether the rollup has the values of a series, and its bars are whole slots. Returns the column; '' for none. */
export function rolledSeries(
  values: readonly Value[],
  aggregates: readonly Aggregate[],
  bucketMs: number,
): string | undefined {
  if (bucketMs % slotMs !== 0 || values.length > 1) return undefined
  if (!aggregates.every(({ fn, only }) => (fn === 'count' || fn === 'samples') && only === undefined)) return undefined
  const [value] = values
  if (value === undefined) return ''
  return value.of === 'text' && rolledColumn(value.column) ? value.column : undefined
}

const secondsMax = 2 ** 32 - 1
const seconds = (values: Values, ms: number): string =>
  `toDateTime(${values.add('UInt32', Math.min(secondsMax, Math.max(0, Math.floor(ms / 1000))))}, 'UTC')`

/** Condition for the rows of the rollup of a scope. The rows of a partition are not received earlier than their time. */
export function slotsCondition(values: Values, { projectIds, environments }: Scope, slots: Slots): string {
  const parts = [
    `day >= toDate(${seconds(values, slots.fromMs - aheadMs)})`,
    `project_id IN ${values.add('Array(UInt64)', projectIds)}`,
    `slot >= ${seconds(values, slots.fromMs)}`,
    `slot < ${seconds(values, slots.toMs)}`,
  ]
  if (environments.length > 0) parts.push(`environment IN ${values.add('Array(String)', environments)}`)
  return parts.join(' AND ')
}

/** Condition for the lines of a range that are in none of its whole slots. */
export function outsideSlots(values: Values, { fromMs, toMs }: Slots): string {
  const time = (ms: number) => `fromUnixTimestamp64Milli(${values.add('Int64', ms)}, 'UTC')`
  return `(time < ${time(fromMs)} OR time >= ${time(toMs)})`
}

export const rollupOf = (database: string): string => `${database}.${logRollupName}`
