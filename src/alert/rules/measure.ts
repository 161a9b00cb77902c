import { beforeMs as lengthOf } from '../../domain/alerts/metric-rules.ts'
import type { WindowValue } from '../../query/metrics/measures.ts'
import type { MetricMeasure, MetricThreshold } from './metric.ts'

/** What a measure needs to know of its rule. */
type Compared = Pick<MetricThreshold, 'type'> & { before?: keyof typeof lengthOf | undefined }

const [hourMs, weekMs] = [3_600_000, 604_800_000]
/** Weeks that the pattern looks at, and how many must have rows. */
const weeksMax = 4
const weeksMin = 2
/** Windows of each week, around the middle of the hour: one incident last week does not make the hour unusual. */
const offsetsMs = [-3_600_000, -1_800_000, 0, 1_800_000, 3_600_000]

/** When the windows end that make the pattern of an hour, of one week. */
const endsOfWeek = (hour: number, week: number, stepMs: number): number[] =>
  offsetsMs.map((offset) => Math.floor((hour + hourMs / 2 + offset - week * weekMs) / stepMs) * stepMs)

/** Hours that are kept: those of a back-test. */
const patternsMax = 1000

type Range = { fromMs: number; toMs: number }

/** The windows that a rule compares with, for windows that end between two times: ranges of time of receipt. */
export function referenceRanges(
  compared: Compared,
  { stepMs, windowMs }: { stepMs: number; windowMs: number },
  { fromMs, toMs }: Range,
): Range[] {
  if (compared.type === 'fixed') return []
  if (compared.type === 'change') {
    const shift = lengthOf[compared.before ?? 'hour']
    return [{ fromMs: fromMs - windowMs - shift, toMs: toMs - shift }]
  }
  const [first, last] = [Math.floor(fromMs / hourMs) * hourMs, Math.floor(toMs / hourMs) * hourMs]
  return Array.from({ length: weeksMax }, (_, at) => ({
    fromMs: Math.min(...endsOfWeek(first, at + 1, stepMs)) - windowMs,
    toMs: Math.max(...endsOfWeek(last, at + 1, stepMs)),
  }))
}

const median = (numbers: readonly number[]): number | null => {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const [low, high] = [sorted[sorted.length % 2 === 0 ? middle - 1 : middle], sorted[middle]]
  return low === undefined || high === undefined ? null : (low + high) / 2
}

const dateOf = (ms: number) => new Date(ms).toISOString().slice(0, 16).replace('T', ' ')

type MeasureOptions = {
  compared: Compared
  stepMs: number
  windowMs: number
  /** Measures the window that ends at a time, and one that it is compared with. */
  current(endMs: number): WindowValue
  reference(endMs: number): WindowValue
  /** When the first rows of the dataset came, whatever the filter. Null: none did. */
  firstMs(): number | null
}

/** Creates the measures of a rule: each window with what it is compared with. */
export function createMeasures({
  compared,
  stepMs,
  windowMs,
  current,
  reference,
  firstMs,
}: MeasureOptions): (endMs: number) => MetricMeasure {
  const patterns = new Map<number, number | null>()
  const hasRowsSince = (ms: number) => (firstMs() ?? Number.POSITIVE_INFINITY) <= ms
  const waiting = (sentence: string, lengthMs: number) => {
    const first = firstMs()
    if (first === null) return `${sentence} There are no rows yet.`
    return `${sentence} This is complete on ${dateOf(first + lengthMs)} UTC.`
  }

  function usualAt(hour: number): number | null {
    const known = patterns.get(hour)
    if (known !== undefined) return known
    const values = Array.from({ length: weeksMax }, (_, at) => endsOfWeek(hour, weeksMax - at, stepMs))
      .flat()
      .filter((endMs) => hasRowsSince(endMs - windowMs))
      .map((endMs) => reference(endMs).value)
      .filter((value) => value !== null)
    const usual = median(values)
    const [oldest] = patterns.keys()
    if (patterns.size >= patternsMax && oldest !== undefined) patterns.delete(oldest)
    patterns.set(hour, usual)
    return usual
  }

  return (atMs) => {
    const measured = { atMs, ...current(atMs), reference: null, waits: '' }
    if (compared.type === 'fixed') return measured
    if (compared.type === 'change') {
      const before = lengthOf[compared.before ?? 'hour']
      if (!hasRowsSince(atMs - before - windowMs))
        return { ...measured, waits: waiting('It needs the period that it compares with.', before + windowMs) }
      return { ...measured, reference: reference(atMs - before).value }
    }
    if (!hasRowsSince(atMs - weeksMin * weekMs))
      return { ...measured, waits: waiting('The weekly pattern needs 14 days of data.', weeksMin * weekMs) }
    return { ...measured, reference: usualAt(Math.floor(atMs / hourMs) * hourMs) }
  }
}
