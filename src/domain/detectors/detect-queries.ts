import {
  byStart,
  commonParent,
  type DetectorSegment,
  type DetectorSpan,
  endOf,
  type Finding,
  idleBetween,
  isAwaited,
  medianOf,
  toleranceUs,
  totalOf,
} from './detector-segment.ts'

/** Statements that read or write rows. Others (migrations, transactions, copies, cursors) take the time that they take. */
const ofRows = /^\s*(?:select|with|insert|update|delete|merge|replace)\b/i
const reads = /^\s*(?:select|with)\b/i
const ofMongo = /^\{"(?:find|aggregate|count|distinct|insert|update|delete|findAndModify)":/i
const readsOfMongo = /^\{"(?:find|count)":/i
/** A statement without a table: `SELECT 1`, `SELECT nextval(?)`. */
const hasTable = /\b(?:from|into|update|join)\s+\S/i
/** Functions that wait on purpose. */
const waits =
  /\b(?:pg_sleep(?:_for|_until)?|sleep|benchmark|pg_(?:try_)?advisory_(?:xact_|un)?lock(?:_shared|_all)?|get_lock|dbms_lock)\s*\(|\bwaitfor\b/i
const locks = /\bfor\s+(?:no\s+key\s+)?(?:update|share)\b|\bskip\s+locked\b/i

/**
 * What follows the column in a look-up by equality: `id = ?`, `"order_id" IN (?)`. The column is read backwards from here:
 * a pattern that begins with it tries each character of a long word, which takes quadratic time.
 */
const equality = /(?:=|\bin\s*\()\s*\(?\?/gi
const ofColumn = /[\w"`\].]/
const comparison = /[\w"`\])]\s*(?:<|>|<=|>=)\s*\?|\bbetween\s+\?/i
const hasLimit = /\blimit\b/i
/** Columns that rows are looked up by. Others, such as a status, have few values, which a program can list. */
const keyColumn =
  /(?:^|[_.])(?:id|ids|uuid|guid|key|pk|fk|slug|sku|code|hash|email|username|token|name)$|[a-z](?:Id|ID|Uuid|Key|Code)$/
/** From so many repeats on, a program does not list the values itself. */
const anyColumnMin = 15
/** A list that has or can have more than one value: the program already reads in batches. SDK 11 sends lists as `($?)`. */
const batch = /\bin\s*\(\s*(?:[^(),\s]+\s*,|\$?\?\s*\))|\bany\s*\(|\bunnest\s*\(/i

/** The columns that a statement looks up by equality, without quotes. */
function equalColumns(statement: string): string[] {
  return [...statement.matchAll(equality)].flatMap(({ index }) => {
    let end = index
    while (/\s/.test(statement[end - 1] ?? '')) end--
    let start = end
    while (ofColumn.test(statement[start - 1] ?? '')) start--
    return start < end ? [statement.slice(start, end).replaceAll(/["`[\]]/g, '')] : []
  })
}

/** Whether a statement looks up rows by a key, one at a time. */
function isLookup({ statement, text }: DetectorSpan, count: number): boolean {
  if (readsOfMongo.test(statement)) return /"\w*_?id":\?/i.test(statement)
  if (!reads.test(statement) || !hasTable.test(statement) || locks.test(statement) || waits.test(statement))
    return false
  if (batch.test(text)) return false
  // A page of a list: rows after a key, up to a limit.
  if (comparison.test(statement) && hasLimit.test(statement)) return false
  return equalColumns(statement).some((column) => count >= anyColumnMin || keyColumn.test(column))
}

/** Time without any span between two repeats, above which a program waits: it polls or does other work. */
const idleMaxUs = (durationUs: number): number => Math.max(20_000, 2 * durationUs)
/** Share of repeats that must be apart by the same statements. Equal look-ups at different places are no loop. */
const regularMin = 0.6

/** Statements between two repeats that are compared. A gap with more is like no other: else senders decide what it costs. */
const gapMax = 20
/** Look-ups of a segment that are examined: those with the most time. Each reads the whole segment. */
const causesMax = 20

/** The index of the first span that starts at `startUs` or later. `sorted`: by start. */
function firstFrom(sorted: readonly DetectorSpan[], startUs: number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle]?.startUs ?? 0) < startUs) low = middle + 1
    else high = middle
  }
  return low
}

/** Gives equal statements one number. */
function createNumbers(): (statement: string) => number {
  const numbers = new Map<string, number>()
  return (statement) => {
    const number = numbers.get(statement) ?? numbers.size
    numbers.set(statement, number)
    return number
  }
}

/** What runs between each two repeats: the numbers of the other statements, as a text. `others`: by start. */
function patternsOf(
  run: readonly DetectorSpan[],
  others: readonly DetectorSpan[],
  numberOf: (statement: string) => number,
): string[] {
  let at = firstFrom(others, run[0]?.startUs ?? 0)
  return run.slice(1).map((after, index) => {
    const found = new Set<number>()
    for (let other = others[at]; other && other.startUs < after.startUs; other = others[++at])
      if (found.size <= gapMax) found.add(numberOf(other.statement))
    return found.size > gapMax ? `more ${index}` : [...found].sort((a, b) => a - b).join(' ')
  })
}

/** Whether most repeats are apart by the same statements, or by none. */
function isRegular(patterns: readonly string[]): boolean {
  const counts = new Map<string, number>()
  for (const pattern of patterns) counts.set(pattern, (counts.get(pattern) ?? 0) + 1)
  return Math.max(...counts.values()) >= regularMin * patterns.length
}

/** Splits spans of one statement into runs in which each begins after the one before has ended. */
function runsOf(spans: readonly DetectorSpan[], all: readonly DetectorSpan[]): DetectorSpan[][] {
  const runs: DetectorSpan[][] = []
  const typicalUs = medianOf(spans.map(({ durationUs }) => durationUs))
  let run: DetectorSpan[] = []
  for (const span of spans) {
    const last = run.at(-1)
    const isNext =
      last === undefined ||
      (span.startUs >= endOf(last) - toleranceUs &&
        idleBetween(last, span, all, firstFrom(all, endOf(last))) <= idleMaxUs(typicalUs))
    if (isNext) run.push(span)
    else {
      runs.push(run)
      run = [span]
    }
  }
  return run.length > 0 ? [...runs, run] : runs
}

/**
 * Finds statements that run once for each row of an earlier result. Such a run is sequential, without pauses, below one
 * span, and a different statement came before it. `countMin` repeats and `totalMs` are the least.
 */
export function detectRepeatedQueries(
  segment: DetectorSegment,
  { countMin, totalMs }: { countMin: number; totalMs: number },
): Finding[] {
  const all = segment.spans.toSorted(byStart)
  const queries = all.filter(({ category, statement, failed }) => category === 'db' && statement !== '' && !failed)
  if (queries.length <= countMin) return []
  const byId = new Map(all.map((span) => [span.spanId, span]))
  const statements = queries.filter(({ statement }) => ofRows.test(statement) || ofMongo.test(statement))
  const findings: Finding[] = []
  const numberOf = createNumbers()
  const lookups = [...Map.groupBy(statements, ({ statement }) => statement)]
    .map(([cause, spans]) => ({ cause, spans, spentUs: totalOf(spans) }))
    .filter(({ spans, spentUs }) => {
      const [first] = spans
      return first && spans.length >= countMin && spentUs >= totalMs * 1000 && isLookup(first, spans.length)
    })
    .toSorted((a, b) => b.spentUs - a.spentUs)
  for (const { cause, spans } of lookups.slice(0, causesMax)) {
    const others = statements.filter(({ statement }) => statement !== cause)
    const source = others.find((other) => reads.test(other.statement) || readsOfMongo.test(other.statement))
    for (const run of runsOf(spans, all)) {
      const [start] = run
      if (!start || run.length < countMin || !source || endOf(source) > start.startUs + toleranceUs) continue
      const parentId = commonParent(run, byId)
      const totalUs = totalOf(run)
      if (parentId === undefined || totalUs < totalMs * 1000 || !isRegular(patternsOf(run, others, numberOf))) continue
      findings.push({ cause, parentId, spans: run, totalUs, savedUs: totalUs - (run[0]?.durationUs ?? 0) })
    }
  }
  return largestOfEach(findings)
}

/** One finding for each cause: the one with the most time. */
function largestOfEach(findings: readonly Finding[]): Finding[] {
  const best = new Map<string, Finding>()
  for (const finding of findings) {
    const known = best.get(finding.cause)
    if (!known || known.totalUs < finding.totalUs) best.set(finding.cause, finding)
  }
  return [...best.values()]
}

/** Nobody waits for a job: there a statement may take ten times as long. */
const jobFactor = 10
const migrates = /migrat|\bseed/i

/** Finds statements of rows that take at least `durationMs`, one finding for each statement. */
export function detectSlowQueries(segment: DetectorSegment, { durationMs }: { durationMs: number }): Finding[] {
  if (migrates.test(`${segment.op} ${segment.transaction}`)) return []
  const minUs = durationMs * 1000 * (isAwaited(segment) ? 1 : jobFactor)
  const slow = segment.spans.filter(({ category, durationUs }) => category === 'db' && durationUs >= minUs)
  // Each statement is tested once, however often it is sent.
  return [...Map.groupBy(slow.toSorted(byStart), ({ statement }) => statement)]
    .filter(([statement]) => isOfRows(statement))
    .map(([cause, spans]) => ({
      cause,
      parentId: spans[0]?.parentId ?? '',
      spans,
      totalUs: totalOf(spans),
      savedUs: totalOf(spans),
    }))
}

/** Whether a statement reads or writes rows of a table, and does not wait on purpose. */
const isOfRows = (statement: string): boolean =>
  (ofRows.test(statement) && hasTable.test(statement) && !waits.test(statement)) || ofMongo.test(statement)
