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
/** They wait on purpose. */
const waits = /\b(?:pg_sleep\w*|sleep|benchmark|pg_(?:try_)?advisory_\w*lock\w*|get_lock|dbms_lock)\s*\(|\bwaitfor\b/i
const locks = /\bfor\s+(?:no\s+key\s+)?(?:update|share)\b|\bskip\s+locked\b/i

/** A look-up by equality: `id = ?`, `"order_id" IN (?)`. */
const equality = /([\w"`\].]+)\s*(?:=|in\s*\()\s*\(?\?/gi
const comparison = /[\w"`\])]\s*(?:<|>|<=|>=)\s*\?|\bbetween\s+\?/i
const hasLimit = /\blimit\b/i
/** Columns that rows are looked up by. Others, such as a status, have few values, which a program can list. */
const keyColumn =
  /(?:^|[_.])(?:id|ids|uuid|guid|key|pk|fk|slug|sku|code|hash|email|username|token|name)$|[a-z](?:Id|ID|Uuid|Key|Code)$/
/** From so many repeats on, a program does not list the values itself. */
const anyColumnMin = 15
/** A list that has or can have more than one value: the program already reads in batches. SDK 11 sends lists as `($?)`. */
const batch = /\bin\s*\(\s*(?:[^(),\s]+\s*,|\$?\?\s*\))|\bany\s*\(|\bunnest\s*\(/i

const nameOf = (column: string): string => column.replaceAll(/["`[\]]/g, '')

/** Whether a statement looks up rows by a key, one at a time. */
function isLookup({ statement, text }: DetectorSpan, count: number): boolean {
  if (readsOfMongo.test(statement)) return /"\w*_?id":\?/i.test(statement)
  if (!reads.test(statement) || !hasTable.test(statement) || locks.test(statement) || waits.test(statement))
    return false
  if (batch.test(text)) return false
  // A page of a list: rows after a key, up to a limit.
  if (comparison.test(statement) && hasLimit.test(statement)) return false
  const columns = [...statement.matchAll(equality)].map(([, column = '']) => nameOf(column))
  return columns.some((column) => count >= anyColumnMin || keyColumn.test(column))
}

/** Time without any span between two repeats, above which a program waits: it polls or does other work. */
const idleMaxUs = (durationUs: number): number => Math.max(20_000, 2 * durationUs)
/** Share of repeats that must be apart by the same statements. Equal look-ups at different places are no loop. */
const regularMin = 0.6

/** What runs between each two repeats: the statements of the other spans, as a text. */
function patternsOf(run: readonly DetectorSpan[], others: readonly DetectorSpan[]): string[] {
  let at = 0
  return run.slice(1).map((after, index) => {
    const before = run[index]
    const found = new Set<string>()
    for (; at < others.length && (others[at]?.startUs ?? 0) < after.startUs; at++) {
      const other = others[at]
      if (other && before && other.startUs >= before.startUs) found.add(other.statement)
    }
    return [...found].sort().join('\n')
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
      (span.startUs >= endOf(last) - toleranceUs && idleBetween(last, span, all) <= idleMaxUs(typicalUs))
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
  for (const [cause, spans] of Map.groupBy(statements, ({ statement }) => statement)) {
    const [first] = spans
    if (!first || spans.length < countMin || !isLookup(first, spans.length)) continue
    const others = statements.filter(({ statement }) => statement !== cause)
    const source = others.find((other) => reads.test(other.statement) || readsOfMongo.test(other.statement))
    for (const run of runsOf(spans, all)) {
      const [start] = run
      if (!start || run.length < countMin || !source || endOf(source) > start.startUs + toleranceUs) continue
      const parentId = commonParent(run, byId)
      const totalUs = totalOf(run)
      if (parentId === undefined || totalUs < totalMs * 1000 || !isRegular(patternsOf(run, others))) continue
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
  const slow = segment.spans.filter(
    ({ category, statement, durationUs }) =>
      category === 'db' &&
      durationUs >= minUs &&
      ((ofRows.test(statement) && hasTable.test(statement) && !waits.test(statement)) || ofMongo.test(statement)),
  )
  return [...Map.groupBy(slow.toSorted(byStart), ({ statement }) => statement)].map(([cause, spans]) => ({
    cause,
    parentId: spans[0]?.parentId ?? '',
    spans,
    totalUs: totalOf(spans),
    savedUs: totalOf(spans),
  }))
}
