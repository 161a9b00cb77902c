'use client'
import { RangeSelect } from '../search/list-filters.tsx'
import type { Range } from '../search/range.ts'
import { useSearchChange } from './release-filters.tsx'

/** The range of the release's page. It is part of the URL. */
export function ReleaseRange({ range }: { range: Range }) {
  const [pending, change] = useSearchChange()
  return (
    <div aria-busy={pending} className="release-range">
      <RangeSelect
        params={{ range }}
        change={({ t, from, to }) => change({ t: t ?? null, from: from ?? null, to: to ?? null })}
      />
    </div>
  )
}
