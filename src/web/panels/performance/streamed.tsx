import type { ReactNode } from 'react'
import { Suspense } from 'react'
import { ListLoading } from '../../ui/list-states.tsx'
import type { LoadedPerformance } from './load.ts'
import { PerformanceFrame, type PerformanceTab } from './performance-frame.tsx'

/** A performance page: its frame at once, and its figures when they are read. */
export function StreamedPage({
  tab,
  loaded,
  children,
}: {
  tab: PerformanceTab
  loaded: LoadedPerformance
  children: ReactNode
}) {
  return (
    <PerformanceFrame {...loaded.frame} tab={tab}>
      <Suspense key={loaded.search} fallback={<ListLoading />}>
        <div className="performance-body">{children}</div>
      </Suspense>
    </PerformanceFrame>
  )
}
