import type { Connection } from '../connection.ts'
import type { Scope } from '../events.ts'
import type { Facet, Question, QuestionStore } from '../question.ts'
import { createValues, type Values } from '../reading/filter.ts'
import type { DurationStore } from '../span-search.ts'
import { compilePresence, compileValue } from './columns.ts'
import { compileScope } from './filter.ts'
import { windowsOf } from './newest.ts'
import { outsideSlots, rolledColumn, rollupOf, type Slots, slotsCondition, slotsOfQuestion } from './rolled.ts'
import { sourceOf } from './sources.ts'

type Facets = Pick<QuestionStore, 'columnFacets' | 'attributeFacets' | 'projectFacet' | 'attributeKeys' | 'valuesOf'> &
  DurationStore

/** Names of attributes and suggested values need no exact counts. A sample of the newest rows limits the work. */
const sampleMax = 50_000
/** Buckets for each doubling of a duration. */
const bucketsPerDoubling = 3

/** Sums of weights are numbers, and texts where the weights are whole. */
type Found = { key: string; value: string; n: number | string; samples: string }

/** Collects rows, sorted by key, to facets. */
function facetsOf(rows: readonly Found[]): Facet[] {
  const facets = new Map<string, Facet>()
  for (const { key, value, n, samples } of rows) {
    const facet = facets.get(key) ?? { key, values: [] }
    facet.values.push({ value, count: Number(n), samples: Number(samples) })
    facets.set(key, facet)
  }
  return [...facets.values()]
}

type Sampled = Pick<Question, 'from' | 'scope' | 'signal'> & { filter?: Question['filter'] }

/** Narrows a scope to the first of its newest parts that has a full sample of matching rows. */
async function sampled(
  connection: Connection,
  database: string,
  { from, scope, filter, signal }: Sampled,
): Promise<Scope> {
  const source = sourceOf(from)
  const [newest, ...older] = windowsOf(scope)
  if (!newest || older.length === 0) return scope
  const values = createValues()
  const [found] = await connection.rows<{ n: string }>(
    `SELECT count() AS n FROM (SELECT 1 FROM ${database}.${source.table} PREWHERE ${compileScope(source, values, newest, filter)} LIMIT ${sampleMax})`,
    values.bound,
    { signal },
  )
  return Number(found?.n ?? 0) >= sampleMax ? newest : scope
}

type Newest = (question: Sampled) => Promise<Scope>

/** SQL of the values of columns in the rollup of lines: the place of the column, the value, and its numbers. */
const rolledFacets = (
  database: string,
  values: Values,
  columns: readonly string[],
  scope: Scope,
  slots: Slots,
): string =>
  columns
    .flatMap((column, at) => {
      const rolled = rolledColumn(column)
      return rolled
        ? `SELECT ${at} AS place, toString(${rolled.sql}) AS value, sum(rolled.weight) AS n, sum(rolled.n) AS samples FROM ${rollupOf(database)} AS rolled
           WHERE field = '${rolled.field}' AND ${slotsCondition(values, scope, slots)} GROUP BY value`
        : []
    })
    .join(' UNION ALL ')

/** Facets of columns and of attributes. */
function createValueFacets(
  connection: Connection,
  database: string,
  newest: Newest,
): Pick<Facets, 'columnFacets' | 'attributeFacets'> {
  return {
    async columnFacets({ from, scope, filter, columns, max, signal }) {
      const source = sourceOf(from)
      if (scope.projectIds.length === 0) return []
      const values = createValues()
      const names = columns.map((column) => compileValue(source, values, { of: 'text', column }))
      const slots = columns.every(rolledColumn) ? slotsOfQuestion({ from, scope, filter }) : undefined
      const where = [compileScope(source, values, scope, filter), ...(slots ? [outsideSlots(values, slots)] : [])]
      // One pass over the rows for all columns: a pass each would read the filter's columns again.
      const counted = `SELECT ${names.map((_, at) => `if(grouping(k${at}) = 1, ${at}, `).join('')}${names.length}${')'.repeat(names.length)} AS place,
          ${names.map((_, at) => `if(grouping(k${at}) = 1, toString(k${at}), `).join('')}''${')'.repeat(names.length)} AS value,
          sum(stands_for) AS n, count() AS samples
        FROM (SELECT ${names.map((name, at) => `${name} AS k${at}`).join(', ')}, ${source.weight ?? '1'} AS stands_for FROM ${database}.${source.table} PREWHERE ${where.join(' AND ')})
        GROUP BY GROUPING SETS (${names.map((_, at) => `(k${at})`).join(', ')})`
      const all = slots
        ? `SELECT place, value, sum(its.n) AS n, sum(its.samples) AS samples
           FROM (${counted} UNION ALL ${rolledFacets(database, values, columns, scope, slots)}) AS its GROUP BY place, value`
        : counted
      const rows = await connection.rows<{ place: string; value: string; n: number | string; samples: string }>(
        `SELECT place, value, n, samples FROM (${all})
         WHERE value != '' ORDER BY place, n DESC, value LIMIT ${values.add('UInt32', max)} BY place
         SETTINGS force_grouping_standard_compatibility = 0`,
        values.bound,
        { signal },
      )
      return facetsOf(rows.map(({ place, ...row }) => ({ ...row, key: columns[Number(place)] ?? '' })))
    },

    async attributeFacets({ from, scope, filter, keys, max, signal }) {
      const source = sourceOf(from)
      if (scope.projectIds.length === 0) return []
      const part = await newest({ from, scope, filter, signal })
      const values = createValues()
      const rows = await connection.rows<Found>(
        `SELECT key, value, n, samples FROM (
           SELECT key, value, sum(stands_for) AS n, count() AS samples, sum(count()) OVER (PARTITION BY key) AS total,
             count() OVER (PARTITION BY key) AS unique_values
           FROM (SELECT tags, ${source.weight ?? '1'} AS stands_for FROM ${database}.${source.table} PREWHERE ${compileScope(source, values, part, filter)} LIMIT ${sampleMax})
           ARRAY JOIN mapKeys(tags) AS key, mapValues(tags) AS value
           WHERE value != '' AND length(value) <= 200 GROUP BY key, value)
         -- What is different in every row, such as an id, is no facet.
         WHERE unique_values <= 2 + total / 2
         ORDER BY total DESC, key, n DESC, value LIMIT ${values.add('UInt32', max)} BY key
         LIMIT ${values.add('UInt32', keys * max)}`,
        values.bound,
        { signal },
      )
      return facetsOf(rows).slice(0, keys)
    },
  }
}

/** Counts by project and by duration. */
function createDistributions(
  connection: Connection,
  database: string,
): Pick<Facets, 'projectFacet' | 'durationHistogram'> {
  return {
    async projectFacet({ from, scope, filter, signal }) {
      const source = sourceOf(from)
      if (scope.projectIds.length === 0) return []
      const values = createValues()
      const rows = await connection.rows<{ project_id: string; n: number | string; samples: string }>(
        `SELECT project_id, sum(${source.weight ?? '1'}) AS n, count() AS samples FROM ${database}.${source.table}
         PREWHERE ${compileScope(source, values, scope, filter)} GROUP BY project_id ORDER BY n DESC, project_id`,
        values.bound,
        { signal },
      )
      return rows.map(({ project_id, n, samples }) => ({
        projectId: Number(project_id),
        count: Number(n),
        samples: Number(samples),
      }))
    },

    async durationHistogram({ scope, filter, signal }) {
      const source = sourceOf('spans')
      if (scope.projectIds.length === 0) return []
      const values = createValues()
      const rows = await connection.rows<{ at: number; n: number; failures: number }>(
        `SELECT toUInt16(floor(log2(greatest(duration, 1)) * ${bucketsPerDoubling})) AS at, sum(${source.weight ?? '1'}) AS n,
           sum(${source.weight ?? '1'} * ${source.failed}) AS failures
         FROM ${database}.${source.table} PREWHERE ${compileScope(source, values, scope, filter)} GROUP BY at ORDER BY at`,
        values.bound,
        { signal },
      )
      return rows.map(({ at, n, failures }) => ({ at, count: n, failed: failures }))
    },
  }
}

/** Names and values for completion. */
function createCompletions(
  connection: Connection,
  database: string,
  newest: Newest,
): Pick<Facets, 'attributeKeys' | 'valuesOf'> {
  return {
    async attributeKeys({ from, scope, signal }, as, max) {
      const source = sourceOf(from)
      // Where numbers are texts, every attribute is a text.
      if (as === 'number' && !source.hasNumbers) return []
      if (scope.projectIds.length === 0) return []
      const part = await newest({ from, scope, signal })
      const values = createValues()
      const column = as === 'text' ? 'tags' : 'numbers'
      const rows = await connection.rows<{ key: string; found_rows: string; unique_values: string }>(
        `SELECT key, count() AS found_rows, uniq(value) AS unique_values
         FROM (SELECT ${column} AS pairs FROM ${database}.${source.table} PREWHERE ${compileScope(source, values, part, undefined)} LIMIT ${sampleMax})
         ARRAY JOIN mapKeys(pairs) AS key, mapValues(pairs) AS value
         GROUP BY key ORDER BY found_rows DESC, key LIMIT ${values.add('UInt32', max)}`,
        values.bound,
        { signal },
      )
      return rows.map((row) => ({ key: row.key, rows: Number(row.found_rows), unique: Number(row.unique_values) }))
    },

    async valuesOf({ from, scope, signal }, { value, text, max }) {
      const source = sourceOf(from)
      if (scope.projectIds.length === 0) return []
      const part = await newest({ from, scope, signal })
      const values = createValues()
      const shown = compileValue(source, values, value.of === 'attribute' ? { ...value, as: 'text' } : value)
      const condition =
        text === '' ? '' : `WHERE positionCaseInsensitiveUTF8(counted_value, ${values.add('String', text)}) > 0`
      const rows = await connection.rows<{ counted_value: string; n: string }>(
        `SELECT counted_value, count() AS n FROM (
           SELECT toString(${shown}) AS counted_value FROM ${database}.${source.table}
           PREWHERE ${compileScope(source, values, part, undefined)} AND ${compilePresence(source, values, value)} LIMIT ${sampleMax * 4})
         ${condition} GROUP BY counted_value ORDER BY n DESC, counted_value LIMIT ${values.add('UInt32', max)}`,
        values.bound,
        { signal },
      )
      return rows.map((row) => ({ value: row.counted_value, events: Number(row.n) }))
    },
  }
}

/** Creates the queries of facets, of the histogram and of completions. */
export function createFacets(connection: Connection, database: string): Facets {
  const newest: Newest = (question) => sampled(connection, database, question)
  return {
    ...createValueFacets(connection, database, newest),
    ...createDistributions(connection, database),
    ...createCompletions(connection, database, newest),
  }
}
