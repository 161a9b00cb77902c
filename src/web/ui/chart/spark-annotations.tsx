'use client'
import { useCallback, useMemo } from 'react'
import type { RestIssue } from '../../../contract/issues.ts'
import type { RestAnnotations } from '../../../contract/releases.ts'
import { groupAnnotations, spanOf, sparkPath } from './annotations.ts'
import { ChartAnnotations } from './chart-annotations.tsx'

/** Maximum lines of a sparkline: one per 7 px. */
const sparkSlots = 16

/** The time range of the rows' sparklines. Returns the same object while the range is the same. */
function useSpan(rows: readonly RestIssue[]) {
  const points = Object.values(rows[0]?.stats ?? {})[0]
  const { fromMs, toMs } = spanOf(points ?? []) ?? { fromMs: 0, toMs: 0 }
  return useMemo(() => ({ fromMs, toMs }), [fromMs, toMs])
}

/** Returns a function that gives the lines of an issue's sparkline (its project's releases and deploys) as a path. */
export function useSparkAnnotations(
  rows: readonly RestIssue[],
  annotations: RestAnnotations | undefined,
): (issue: RestIssue) => string {
  const span = useSpan(rows)
  const paths = useMemo(() => {
    const slugs = new Set(annotations?.marks.flatMap((annotation) => annotation.projects))
    return new Map(
      [...slugs].map((slug) => {
        const projectAnnotations = annotations?.marks.filter((annotation) => annotation.projects.includes(slug)) ?? []
        return [slug, sparkPath(groupAnnotations(projectAnnotations, span.fromMs, span.toMs, sparkSlots))]
      }),
    )
  }, [annotations, span])
  return useCallback((issue) => paths.get(issue.project.slug) ?? '', [paths])
}

/** The lines of all sparklines, shown once above their column, with tooltips and keyboard access. */
export function SparkAnnotations({
  organization,
  rows,
  annotations,
}: {
  organization: string
  rows: readonly RestIssue[]
  annotations: RestAnnotations | undefined
}) {
  const span = useSpan(rows)
  const groups = useMemo(
    () => groupAnnotations(annotations?.marks ?? [], span.fromMs, span.toMs, sparkSlots),
    [annotations, span],
  )
  return groups.length ? (
    <div className="spark-rule">
      <ChartAnnotations organization={organization} groups={groups} />
    </div>
  ) : null
}
