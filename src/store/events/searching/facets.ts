import type { Connection } from '../connection.ts'
import type { Scope } from '../events.ts'
import { createValues } from '../filter.ts'
import type { SpanFacet, SpanFilter, SpanSearchStore } from '../span-search.ts'
import { compilePresence, compileValue } from './columns.ts'
import { compileSpanScope } from './filter.ts'
import { windowsOf } from './newest.ts'

type Facets = Pick<
  SpanSearchStore,
  'spanFacets' | 'attributeFacets' | 'projectFacet' | 'durationHistogram' | 'attributeKeys' | 'spanValues'
>

/** Names of attributes and suggested values need no exact counts. A sample of the newest spans limits the work. */
const sampleMax = 50_000
/** Buckets for each doubling of a duration. */
const bucketsPerDoubling = 3

type Found = { key: string; value: string; n: number; samples: string }

/** Collects rows, sorted by key, to facets. */
function facetsOf(rows: readonly Found[]): SpanFacet[] {
  const facets = new Map<string, SpanFacet>()
  for (const { key, value, n, samples } of rows) {
    const facet = facets.get(key) ?? { key, values: [] }
    facet.values.push({ value, count: n, samples: Number(samples) })
    facets.set(key, facet)
  }
  return [...facets.values()]
}

/** Narrows a scope to the first of its newest parts that has a full sample of matching spans. */
async function sampled(
  connection: Connection,
  table: string,
  scope: Scope,
  filter: SpanFilter | undefined,
  signal: AbortSignal | undefined,
): Promise<Scope> {
  const [newest, ...older] = windowsOf(scope)
  if (!newest || older.length === 0) return scope
  const values = createValues()
  const [found] = await connection.rows<{ n: string }>(
    `SELECT count() AS n FROM (SELECT 1 FROM ${table} PREWHERE ${compileSpanScope(values, newest, filter)} LIMIT ${sampleMax})`,
    values.bound,
    { signal },
  )
  return Number(found?.n ?? 0) >= sampleMax ? newest : scope
}

type Newest = (scope: Scope, filter: SpanFilter | undefined, signal: AbortSignal | undefined) => Promise<Scope>

/** Facets of columns and of attributes. */
function createValueFacets(
  connection: Connection,
  table: string,
  newest: Newest,
): Pick<Facets, 'spanFacets' | 'attributeFacets'> {
  return {
    async spanFacets({ scope, filter, columns, max, signal }) {
      if (scope.projectIds.length === 0) return []
      const values = createValues()
      const names = columns.map((column) => compileValue(values, { of: 'text', column }))
      const where = compileSpanScope(values, scope, filter)
      // One pass over the spans for all columns: a pass each would read the filter's columns again.
      const rows = await connection.rows<{ place: string; value: string; n: number; samples: string }>(
        `SELECT place, value, n, samples FROM (
           SELECT ${names.map((_, at) => `if(grouping(k${at}) = 1, ${at}, `).join('')}${names.length}${')'.repeat(names.length)} AS place,
             ${names.map((_, at) => `if(grouping(k${at}) = 1, toString(k${at}), `).join('')}''${')'.repeat(names.length)} AS value,
             sum(weight) AS n, count() AS samples
           FROM (SELECT ${names.map((name, at) => `${name} AS k${at}`).join(', ')}, weight FROM ${table} PREWHERE ${where})
           GROUP BY GROUPING SETS (${names.map((_, at) => `(k${at})`).join(', ')}))
         WHERE value != '' ORDER BY place, n DESC, value LIMIT ${values.add('UInt32', max)} BY place
         SETTINGS force_grouping_standard_compatibility = 0`,
        values.bound,
        { signal },
      )
      return facetsOf(rows.map(({ place, ...row }) => ({ ...row, key: columns[Number(place)] ?? '' })))
    },

    async attributeFacets({ scope, filter, keys, max, signal }) {
      if (scope.projectIds.length === 0) return []
      const part = await newest(scope, filter, signal)
      const values = createValues()
      const rows = await connection.rows<Found>(
        `SELECT key, value, n, samples FROM (
           SELECT key, value, sum(weight) AS n, count() AS samples, sum(count()) OVER (PARTITION BY key) AS total,
             count() OVER (PARTITION BY key) AS unique_values
           FROM (SELECT tags, weight FROM ${table} PREWHERE ${compileSpanScope(values, part, filter)} LIMIT ${sampleMax})
           ARRAY JOIN mapKeys(tags) AS key, mapValues(tags) AS value
           WHERE value != '' AND length(value) <= 200 GROUP BY key, value)
         -- What is different in every span, such as an id, is no facet.
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
  table: string,
): Pick<Facets, 'projectFacet' | 'durationHistogram'> {
  return {
    async projectFacet({ scope, filter, signal }) {
      if (scope.projectIds.length === 0) return []
      const values = createValues()
      const rows = await connection.rows<{ project_id: string; n: number; samples: string }>(
        `SELECT project_id, sum(weight) AS n, count() AS samples FROM ${table}
         PREWHERE ${compileSpanScope(values, scope, filter)} GROUP BY project_id ORDER BY n DESC, project_id`,
        values.bound,
        { signal },
      )
      return rows.map(({ project_id, n, samples }) => ({
        projectId: Number(project_id),
        count: n,
        samples: Number(samples),
      }))
    },

    async durationHistogram({ scope, filter, signal }) {
      if (scope.projectIds.length === 0) return []
      const values = createValues()
      const rows = await connection.rows<{ at: number; n: number; failures: number }>(
        `SELECT toUInt16(floor(log2(greatest(duration, 1)) * ${bucketsPerDoubling})) AS at, sum(weight) AS n,
           sum(weight * failed) AS failures
         FROM ${table} PREWHERE ${compileSpanScope(values, scope, filter)} GROUP BY at ORDER BY at`,
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
  table: string,
  newest: Newest,
): Pick<Facets, 'attributeKeys' | 'spanValues'> {
  return {
    async attributeKeys(scope, as, max, signal) {
      if (scope.projectIds.length === 0) return []
      const part = await newest(scope, undefined, signal)
      const values = createValues()
      const column = as === 'text' ? 'tags' : 'numbers'
      const rows = await connection.rows<{ key: string; spans: string; unique_values: string }>(
        `SELECT key, count() AS spans, uniq(value) AS unique_values
         FROM (SELECT ${column} AS pairs FROM ${table} PREWHERE ${compileSpanScope(values, part, undefined)} LIMIT ${sampleMax})
         ARRAY JOIN mapKeys(pairs) AS key, mapValues(pairs) AS value
         GROUP BY key ORDER BY spans DESC, key LIMIT ${values.add('UInt32', max)}`,
        values.bound,
        { signal },
      )
      return rows.map((row) => ({ key: row.key, spans: Number(row.spans), unique: Number(row.unique_values) }))
    },

    async spanValues(scope, value, { text, max, signal }) {
      if (scope.projectIds.length === 0) return []
      const part = await newest(scope, undefined, signal)
      const values = createValues()
      const shown = compileValue(values, value.of === 'attribute' ? { ...value, as: 'text' } : value)
      const condition =
        text === '' ? '' : `WHERE positionCaseInsensitiveUTF8(counted_value, ${values.add('String', text)}) > 0`
      const rows = await connection.rows<{ counted_value: string; n: string }>(
        `SELECT counted_value, count() AS n FROM (
           SELECT toString(${shown}) AS counted_value FROM ${table}
           PREWHERE ${compileSpanScope(values, part, undefined)} AND ${compilePresence(values, value)} LIMIT ${sampleMax * 4})
         ${condition} GROUP BY counted_value ORDER BY n DESC, counted_value LIMIT ${values.add('UInt32', max)}`,
        values.bound,
        { signal },
      )
      return rows.map((row) => ({ value: row.counted_value, events: Number(row.n) }))
    },
  }
}

/** Creates the queries of facets, of the histogram and of completions. */
export function createFacets(connection: Connection, table: string): Facets {
  const newest: Newest = (scope, filter, signal) => sampled(connection, table, scope, filter, signal)
  return {
    ...createValueFacets(connection, table, newest),
    ...createDistributions(connection, table),
    ...createCompletions(connection, table, newest),
  }
}
