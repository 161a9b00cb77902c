import type { RestAnnotation } from '../../../contract/releases.ts'

/** A release or a deploy to mark on a chart. */
export type ChartAnnotation = Pick<RestAnnotation, 'kind' | 'version' | 'at' | 'environment'>

/** Annotations that are so close together that they share one line. */
export type AnnotationGroup = {
  /** Position of the first annotation: 0 is the chart's left end, 1 its right. */
  place: number
  fromMs: number
  toMs: number
  /** Without duplicates, oldest first. */
  versions: string[]
  /** Target environments of the deploys, without duplicates; empty if there are no deploys. */
  environments: string[]
}

const groupOf = (place: number, atMs: number): AnnotationGroup => ({
  place,
  fromMs: atMs,
  toMs: atMs,
  versions: [],
  environments: [],
})

/**
 * Groups annotations into lines of a chart from `fromMs` to `toMs` (ms since 1970), oldest first. A chart fits `slots`
 * lines; closer annotations join the previous line. Drops annotations without a time or outside of the range.
 */
export function groupAnnotations(
  annotations: readonly ChartAnnotation[],
  fromMs: number,
  toMs: number,
  slots: number,
): AnnotationGroup[] {
  const groups: AnnotationGroup[] = []
  const timed = annotations.map((mark) => ({ mark, atMs: Date.parse(mark.at) }))
  for (const { mark, atMs } of timed.sort((a, b) => a.atMs - b.atMs)) {
    if (!(atMs >= fromMs && atMs <= toMs && toMs > fromMs)) continue
    const place = (atMs - fromMs) / (toMs - fromMs)
    let group = groups.at(-1)
    if (!group || atMs - group.fromMs >= (toMs - fromMs) / slots) {
      group = groupOf(place, atMs)
      groups.push(group)
    }
    group.toMs = atMs
    if (!group.versions.includes(mark.version)) group.versions.push(mark.version)
    const environment = mark.kind === 'deploy' ? mark.environment : null
    if (environment !== null && !group.environments.includes(environment)) group.environments.push(environment)
  }
  return groups
}

/** Time range of a chart's points, ms: start of the first to end of the last. Undefined without points. */
export function spanOf(points: readonly (readonly [number, number])[]): { fromMs: number; toMs: number } | undefined {
  const first = points[0]?.[0]
  const last = points.at(-1)?.[0]
  if (first === undefined || last === undefined) return undefined
  const stepS = points.length > 1 ? last - (points.at(-2)?.[0] ?? first) : 3600
  return { fromMs: first * 1000, toMs: (last + stepS) * 1000 }
}

/** The project, environment and range parameters of a call for annotations. */
export type AnnotationsQuery = {
  project?: readonly string[] | undefined
  environment?: readonly string[] | undefined
  statsPeriod?: string | undefined
  start?: string | undefined
  end?: string | undefined
}

/** The parameters of a list or issue query that select annotations. */
export function annotationsQuery({
  project,
  environment,
  statsPeriod,
  start,
  end,
}: AnnotationsQuery): AnnotationsQuery {
  return { project, environment, statsPeriod, start, end }
}
