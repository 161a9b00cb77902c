import {
  softVitalPrefix,
  type VitalLoads,
  type VitalName,
  vitalCurves,
  vitalNames,
} from '../../../domain/traces/vitals.ts'
import type { Connection } from '../connection.ts'
import type { Scope } from '../events.ts'
import type { PerformanceStore, RouteKey } from '../performance-store.ts'
import { createValues, type Values } from '../reading/filter.ts'
import { hasVitals } from '../schema/segments.ts'
import { eachVital, factWeight, isRolled, type Source, softVitalFacts, vitalFacts } from './facts.ts'
import { compileSegmentScope, weighed } from './segments.ts'

/** Standard normal quantile of 0.9: a value at p10 of its curve scores 0.9. */
const deviations = 1.2815515655446004

/** The score of a value: the complement of the log-normal distribution through p10 and p50 of its curve. */
function scoreSql(): string {
  const median = eachVital((name) => Math.log(vitalCurves[name].p50))
  const spread = eachVital(
    (name) => (Math.log(vitalCurves[name].p50 / vitalCurves[name].p10) / deviations) * Math.SQRT2,
  )
  return `0.5 * erfc((log(greatest(value, 1e-9)) - ${median}) / ${spread})`
}

/** The measured vitals of a scope with their elements, one row each: attributes are only in the rows. */
function compileVitals(
  values: Values,
  table: string,
  { scope, route, loads }: { scope: Scope; route?: RouteKey; loads: VitalLoads },
): string {
  const prefix = loads === 'navigation' ? softVitalPrefix : ''
  const names = vitalNames.map((name) => prefix + name)
  const own = route
    ? `project_id = ${values.add('UInt64', route.projectId)} AND route = ${values.add('String', route.route)}`
    : '1'
  return `(SELECT project_id, toString(route) AS route, weight, substring(measured, ${prefix.length + 1}) AS vital, value,
      ${elementSql} AS element FROM ${table}
    ARRAY JOIN mapKeys(measurements) AS measured, mapValues(measurements) AS value
    WHERE ${compileSegmentScope(values, scope)} AND ${own} AND ${hasVitals}
      AND measured IN ${values.add('Array(String)', names)} AND value >= 0)`
}

const isVital = (text: string): text is VitalName => vitalNames.some((name) => name === text)

/** The element of each vital, by the attributes of SDK 11, and of older ones where they have it. */
const elementSql = `multiIf(
  vital = 'lcp', coalesce(nullIf(tags['browser.web_vital.lcp.element'], ''), nullIf(tags['lcp.element'], ''), ''),
  vital = 'inp', coalesce(nullIf(tags['browser.web_vital.inp.target'], ''), nullIf(label, ''), ''),
  vital = 'cls', coalesce(nullIf(tags['browser.web_vital.cls.source.1'], ''), nullIf(tags['cls.source.1'], ''), ''), '')`

function createScores(connection: Connection, sourceOf: () => Source): PerformanceStore['vitalScores'] {
  return async (scope) => {
    if (scope.projectIds.length === 0) return []
    const values = createValues()
    const rows = await connection.rows<{ project: string; its_route: string; vital: string; score: number }>(
      `SELECT project_id AS project, toString(route) AS its_route, vital, sum(weight * (${scoreSql()})) / sum(weight) AS score
       FROM ${vitalFacts(values, sourceOf(), { scope }, isRolled(scope))} AS facts
       GROUP BY project_id, route, vital ORDER BY project, its_route, vital`,
      values.bound,
    )
    return rows.flatMap(({ project, its_route, vital, score }) =>
      isVital(vital) ? [{ projectId: Number(project), route: its_route, vital, score }] : [],
    )
  }
}

type StoredVital = {
  own: number
  project: string
  its_route: string
  vital: string
  samples: string
  c: number
  p75: number
  score: number
  good: number
  poor: number
}

/** Creates the queries of web vitals. */
export function createVitals(
  connection: Connection,
  table: string,
  sourceOf: () => Source,
): Pick<PerformanceStore, 'vitalStats' | 'vitalScores' | 'vitalCauses'> {
  return {
    vitalScores: createScores(connection, sourceOf),
    async vitalStats({ scope, beforeMs, route, loads }) {
      if (scope.projectIds.length === 0) return { now: [], before: [] }
      const values = createValues()
      const facts =
        loads === 'navigation'
          ? softVitalFacts(values, sourceOf(), { scope, beforeMs })
          : vitalFacts(values, sourceOf(), { scope, beforeMs }, isRolled(scope))
      const own = route
        ? `project_id = ${values.add('UInt64', route.projectId)} AND route = ${values.add('String', route.route)}`
        : '1'
      const rows = await connection.rows<StoredVital>(
        `SELECT own, if(grouping(project_id) = 1, 0, project_id) AS project, toString(route) AS its_route, vital, sum(n) AS samples,
           sum(weight) AS c, quantileExactWeighted(0.75)(value, ${factWeight}) AS p75, sum(weight * (${scoreSql()})) / c AS score,
           sumIf(weight, rating = 0) / c AS good, sumIf(weight, rating = 2) / c AS poor
         FROM ${facts} AS facts WHERE ${own}
         GROUP BY GROUPING SETS ((own, vital), (own, project_id, route, vital)) ORDER BY project, its_route, vital`,
        values.bound,
      )
      const of = (range: 0 | 1) =>
        rows.flatMap(({ own, project, its_route, vital, samples, c, ...row }) =>
          isVital(vital) && Number(own) === range
            ? [{ ...row, projectId: Number(project), route: its_route, vital, samples: Number(samples), count: c }]
            : [],
        )
      return { now: of(1), before: of(0) }
    },

    async vitalCauses(request) {
      if (request.scope.projectIds.length === 0) return []
      const values = createValues()
      type Row = {
        project_id: string
        route: string
        vital: string
        element: string
        n: string
        c: number
        p75: number
      }
      const rows = await connection.rows<Row>(
        `SELECT project_id, route, vital, element, count() AS n, sum(toFloat64(weight)) AS c,
           quantileTDigestWeighted(0.75)(value, ${weighed}) AS p75
         FROM ${compileVitals(values, table, request)}
         WHERE element != '' AND element != '<unknown>'
         GROUP BY project_id, route, vital, element
         ORDER BY sum(weight * value) DESC, element LIMIT 1 BY project_id, route, vital`,
        values.bound,
      )
      return rows.flatMap(({ project_id, vital, n, c, ...row }) =>
        isVital(vital) ? [{ ...row, projectId: Number(project_id), vital, samples: Number(n), count: c }] : [],
      )
    },
  }
}
