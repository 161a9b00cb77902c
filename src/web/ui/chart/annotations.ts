import type { RestMark } from '../../../contract/releases.ts'
import { sparkHeightPx, sparkWidthPx } from './bars.ts'

/** A release or a deploy at a time, as a chart marks it. */
export type ChartAnnotation = Pick<RestMark, 'kind' | 'version' | 'at' | 'environment'>

/** Annotations that are so close on a chart that they share one hairline. */
export type AnnotationGroup = {
  /** Where the first of them is: 0 is the chart's left end, 1 its right. */
  place: number
  fromMs: number
  toMs: number
  /** Each once, the oldest first. */
  versions: string[]
  /** Where they were deployed to, each once; empty: nothing was. */
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
 * Marks as hairlines of a chart from `fromMs` to `toMs` (ms since 1970), oldest first. A chart has room for `slots`
 * hairlines: those that are nearer to the one before than that are counted there. What lies outside or has no time is left out.
 */
export function groupAnnotations(
  marks: readonly ChartAnnotation[],
  fromMs: number,
  toMs: number,
  slots: number,
): AnnotationGroup[] {
  const groups: AnnotationGroup[] = []
  const timed = marks.map((mark) => ({ mark, atMs: Date.parse(mark.at) }))
  for (const { mark, atMs } of timed.sort((item, other) => item.atMs - other.atMs)) {
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

/** One SVG path of the hairlines of groups over a sparkline; '' for none. */
export function sparkPath(groups: readonly AnnotationGroup[]): string {
  return groups.map(({ place }) => `M${Math.round(place * sparkWidthPx * 10) / 10} 0v${sparkHeightPx}`).join('')
}

/** The times that points of a chart span, in ms: from the first one's start to the last one's end; undefined without points. */
export function spanOf(points: readonly (readonly [number, number])[]): { fromMs: number; toMs: number } | undefined {
  const first = points[0]?.[0]
  const last = points.at(-1)?.[0]
  if (first === undefined || last === undefined) return undefined
  const stepS = points.length > 1 ? last - (points.at(-2)?.[0] ?? first) : 3600
  return { fromMs: first * 1000, toMs: (last + stepS) * 1000 }
}

/** What a call for marks says of projects, environments and range. */
export type AnnotationsQuery = {
  project?: readonly string[] | undefined
  environment?: readonly string[] | undefined
  statsPeriod?: string | undefined
  start?: string | undefined
  end?: string | undefined
}

/** The part of the query of a list or an issue that selects annotations: projects, environments and range. */
export function annotationsQuery({
  project,
  environment,
  statsPeriod,
  start,
  end,
}: AnnotationsQuery): AnnotationsQuery {
  return { project, environment, statsPeriod, start, end }
}
