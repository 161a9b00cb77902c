import type { ReactNode } from 'react'
import { Suspense } from 'react'
import { ListLoading } from '../../ui/list-states.tsx'
import type { LoadedPerformance } from './load.ts'
import { PerformanceFrame } from './performance-frame.tsx'
import type { PerformanceTab } from './tabs.tsx'

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
