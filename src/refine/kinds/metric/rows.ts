import { folds, metricSeries } from '../../../domain/metrics.ts'
import type { MetricRow } from '../../../store/events/metric-store.ts'
import type { Context } from '../../pipeline/context.ts'
import type { Loose, Sent } from '../../pipeline/value.ts'
import { isPlain, rulesOf, scrubTree } from '../../scrub/scrub.ts'
import type { BareMetric } from './point.ts'

/** Attributes that name a person or a visit. SDKs add them to every point, so they are folded first. */
const aboutPeople = /^(?:user\.|client\.address$|session\.|enduser\.|sentry\.replay_id$|device\.id$)/

type Folded = { attributes: Loose; folded: MetricRow['folded'] }

const keyOf = ({ name, type, service, environment }: BareMetric, attributes: Loose): string => {
  let key = `${name}\0${type}\0${service}\0${environment}`
  for (const attribute of Object.keys(attributes).sort()) key += `\0${attribute}\0${String(attributes[attribute])}`
  return key
}

/** Leaves out attributes of a point whose series is over the project's limit: first those about people, then all. */
function foldOf(bare: BareMetric, { settings, tools }: Context): Folded {
  const { attributes, projectId, receivedMs } = bare
  const max = settings.metricSeriesMax ?? metricSeries.default
  const admit = (group: 0 | 1, of: Loose) =>
    tools.metrics.series.admit({ projectId, group, key: keyOf(bare, of), receivedMs, max })
  if (admit(0, attributes)) return { attributes, folded: folds.none }
  const names = Object.keys(attributes)
  if (names.length === 0) return { attributes, folded: folds.none }
  const kept = Object.fromEntries(
    names.filter((name) => !aboutPeople.test(name)).map((name) => [name, attributes[name]]),
  )
  const isLess = Object.keys(kept).length < names.length
  if (isLess && admit(1, kept)) return { attributes: kept, folded: folds.people }
  return { attributes: {}, folded: folds.all }
}

/** Scrubs and folds the attributes of points, and numbers their rows by `placeOf`. `sent`: the payload, if sound. */
export function metricRows(
  bare: readonly BareMetric[],
  sent: Sent | undefined,
  context: Context,
  placeOf: (at: number) => number,
): MetricRow[] {
  const rules = rulesOf(context)
  if (!isPlain(sent, rules)) scrubTree({ list: bare.map(({ attributes }) => ({ attributes })) }, rules, undefined)
  let [before, folded]: [Loose | undefined, Folded | undefined] = [undefined, undefined]
  return bare.map((row, at) => {
    // The buckets of a histogram share their attributes.
    if (row.attributes !== before || !folded) folded = foldOf(row, context)
    before = row.attributes
    return {
      ...row,
      attributes: folded.attributes as MetricRow['attributes'],
      folded: folded.folded,
      place: placeOf(at),
    }
  })
}
