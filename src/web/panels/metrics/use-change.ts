'use client'
import { usePathname, useRouter, useSearchParams } from 'next/navigation'
import { useTransition } from 'react'
import { changedSearch, type MetricChange } from './params.ts'

/** The address with a change, a function that goes there, and whether that navigation is still pending. */
export function useMetricChange(): {
  isPending: boolean
  to(change: MetricChange): string
  change(change: MetricChange): void
} {
  const router = useRouter()
  const path = usePathname()
  const search = useSearchParams()
  const [isPending, start] = useTransition()
  const to = (next: MetricChange) => path + changedSearch(new URLSearchParams(search), next)
  return { isPending, to, change: (next) => start(() => router.push(to(next), { scroll: false })) }
}
