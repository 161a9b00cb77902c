'use client'
import { useEffect, useRef, useState } from 'react'
import { systemClock } from '../../../base/clock.ts'
import type { RestRelease } from '../../../contract/releases.ts'
import { apiPage } from '../../client/api.ts'
import { useLive } from '../../ui/live.tsx'
import { type ProjectName, projectIdsOf } from '../search/list-params.ts'
import type { ReleaseParams } from './params.ts'

/** Events arrive every second, releases every hour. Fetch the list at most this often, ms. */
const pauseMs = 10_000
const newestMax = 20

/** Versions in `newest` that were created after the list was loaded and are not in it. */
export function newReleasesIn(
  newest: readonly RestRelease[],
  rows: readonly Pick<RestRelease, 'version'>[],
  asOfMs: number,
): string[] {
  const knownVersions = new Set(rows.map((row) => row.version))
  return newest
    .filter((release) => Date.parse(release.dateCreated) > asOfMs && !knownVersions.has(release.version))
    .map((release) => release.version)
}

/** The number of releases since the list was loaded. Checks on new events and when the tab becomes visible. */
export function useNewReleases({
  organization,
  params,
  rows,
  projects,
  asOfMs,
}: {
  organization: string
  params: ReleaseParams
  rows: readonly RestRelease[]
  projects: readonly ProjectName[]
  asOfMs: number
}): number {
  const [found, setFound] = useState<{ asOfMs: number; count: number }>({ asOfMs, count: 0 })
  const waits = useRef<(() => void) | undefined>(undefined)
  const check = useRef(async () => {})
  check.current = async () => {
    const ids = projectIdsOf(params.project, projects)
    const page = await apiPage<RestRelease>(`organizations/${organization}/releases/`, {
      query: {
        query: params.q || undefined,
        project: ids.length ? ids : undefined,
        environment: params.env ? params.env.split(',') : undefined,
        status: params.status,
        per_page: newestMax,
      },
    })
    setFound({ asOfMs, count: newReleasesIn(page.rows, rows, asOfMs).length })
  }
  const soon = useRef(() => {
    if (waits.current) return
    waits.current = systemClock.after(pauseMs, () => {
      waits.current = undefined
      // The next event triggers another attempt.
      void check.current().catch(() => {})
    })
  })
  useLive((change) => {
    if (change.kind === 'events' || change.kind === 'missed') soon.current()
  })
  useEffect(() => {
    const seen = () => document.visibilityState === 'visible' && soon.current()
    document.addEventListener('visibilitychange', seen)
    return () => {
      document.removeEventListener('visibilitychange', seen)
      waits.current?.()
    }
  }, [])
  return found.asOfMs === asOfMs ? found.count : 0
}
