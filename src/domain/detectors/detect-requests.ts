import {
  byStart,
  type DetectorSegment,
  type DetectorSpan,
  endOf,
  type Finding,
  isAwaited,
  toleranceUs,
  totalOf,
} from './detector-segment.ts'

/** A program that waits longer between two requests does something else, or waits for a person. */
const pauseMaxUs = 250_000
/** What must be saved at least if they ran at once: less is not worth a change. */
const savedMinUs = 500_000

const methodOf = ({ statement }: DetectorSpan): string => /^[A-Z]{3,10}(?= )/.exec(statement)?.[0] ?? ''
const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD'])

/** The address without its query: pages of a list and polls differ only there. */
const pathOf = ({ text, statement }: DetectorSpan): string => (text || statement).replace(/[?#].*$/s, '').slice(0, 500)

/** Whether a span is a request that could run beside others: it only reads, and it was answered. */
const isFree = (span: DetectorSpan): boolean =>
  safeMethods.has(methodOf(span)) && !span.failed && (span.httpStatus === 0 || span.httpStatus < 300)

/**
 * Finds slow requests to different addresses of which each waits for the one before. Requests that write end a run,
 * because what follows can depend on them.
 */
export function detectConsecutiveRequests(
  segment: DetectorSegment,
  { countMin, durationMs }: { countMin: number; durationMs: number },
): Finding[] {
  if (!isAwaited(segment)) return []
  const requests = segment.spans
    .filter(({ op, category, statement }) => category === 'http' && op !== 'http.server' && statement !== '')
    .toSorted(byStart)
  const slow = requests.filter((span) => span.durationUs >= durationMs * 1000 || !isFree(span))
  const runs: DetectorSpan[][] = [[]]
  for (const span of slow) {
    const run = runs.at(-1) ?? []
    const last = run.at(-1)
    const waited = last === undefined ? 0 : span.startUs - endOf(last)
    const isNext = isFree(span) && waited >= -toleranceUs && waited <= pauseMaxUs
    if (isNext) run.push(span)
    else runs.push(isFree(span) ? [span] : [])
  }
  return runs.flatMap((run) => {
    const overlaps = run.some((span) => requests.some((other) => other !== span && doOverlap(other, span)))
    const addresses = new Set(run.map(pathOf))
    if (addresses.size < countMin || addresses.size < run.length || overlaps) return []
    const totalUs = totalOf(run)
    const savedUs = totalUs - Math.max(...run.map(({ durationUs }) => durationUs))
    if (savedUs < savedMinUs) return []
    const cause = [...new Set(run.map(({ statement }) => statement))].sort().join('\n')
    return [{ cause, parentId: run[0]?.parentId ?? '', spans: run, totalUs, savedUs }]
  })
}

/** A program that already sends requests at once chose the order of the others. */
const doOverlap = (a: DetectorSpan, b: DetectorSpan): boolean =>
  a.startUs < endOf(b) - toleranceUs && b.startUs < endOf(a) - toleranceUs && a.durationUs > toleranceUs
