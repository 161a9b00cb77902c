'use client'
import { usePathname, useRouter, useSearchParams } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { useTransition } from 'react'
import { versionInfo } from '../../../domain/release-order.ts'
import { Choices, Popup } from '../../ui/popup.tsx'
import { EnvironmentSelect, RangeSelect } from '../search/list-filters.tsx'
import type { Range } from '../search/range.ts'

/** A release to choose, in the order of the list. */
function ReleaseChoice({
  name,
  label,
  value,
  versions,
  choose,
}: {
  name: string
  label: string
  value: string
  versions: readonly string[]
  choose: (version: string) => void
}) {
  const t = useTranslations('compare')
  const known = versions.includes(value) || value === '' ? versions : [value, ...versions]
  return (
    <Popup name={name} label={label} value={versionInfo(value).description || '–'}>
      {(close) => (
        <Choices
          label={label}
          filterLabel={t('find')}
          choices={known.map((version) => ({ value: version, text: version, isChosen: version === value }))}
          choose={(version) => {
            choose(version)
            close()
          }}
        />
      )}
    </Popup>
  )
}

type Change = Partial<Record<'a' | 'b' | 'against' | 'env' | 't' | 'from' | 'to', string | null>>

/** A function that changes the URL, after which the server reads it again, and whether that is under way. */
function useScopeChange(): [isPending: boolean, change: (changed: Change) => void] {
  const router = useRouter()
  const path = usePathname()
  const search = useSearchParams()
  const [isPending, start] = useTransition()
  const change = (changed: Change) => {
    const next = new URLSearchParams(search)
    for (const [key, value] of Object.entries(changed)) {
      if (value) next.set(key, value)
      else next.delete(key)
    }
    start(() => router.push(`${path}${next.size > 0 ? `?${next}` : ''}`, { scroll: false }))
  }
  return [isPending, change]
}

/** Both releases and the environment. Each is part of the URL. */
export function CompareScope({
  organization,
  params: { a, b, env },
  versions,
  environments,
}: {
  organization: string
  params: { a: string; b: string; env: string }
  versions: readonly string[]
  environments: string[] | undefined
}) {
  const t = useTranslations('compare')
  const [isPending, change] = useScopeChange()
  return (
    <div className="compare-scope" data-pending={isPending || undefined}>
      <ReleaseChoice
        name="release"
        label={t('release')}
        value={b}
        versions={versions}
        choose={(version) => change({ a, b: version })}
      />
      <ReleaseChoice
        name="against"
        label={t('against')}
        value={a}
        versions={versions}
        choose={(version) => change({ a: version, b })}
      />
      <EnvironmentSelect
        organization={organization}
        value={env}
        preloaded={environments}
        change={(changed) => change({ a, b, env: changed.env ?? null })}
      />
    </div>
  )
}

/** The scope of a release's page: the release to compare with, the environment and the range. */
export function ReleaseScope({
  organization,
  params: { version, env, range },
  against,
  versions,
}: {
  organization: string
  params: { version: string; env: string; range: Range }
  /** The release that the page compares with; '' if there is none. */
  against: string
  versions: readonly string[]
}) {
  const t = useTranslations('compare')
  const [isPending, change] = useScopeChange()
  const others = versions.filter((other) => other !== version)
  return (
    <div className="compare-scope" data-pending={isPending || undefined}>
      {others.length > 0 ? (
        <ReleaseChoice
          name="against"
          label={t('against')}
          value={against}
          versions={others}
          choose={(other) => change({ against: other })}
        />
      ) : null}
      <EnvironmentSelect
        organization={organization}
        value={env}
        preloaded={undefined}
        change={(changed) => change({ env: changed.env ?? null })}
      />
      <RangeSelect
        params={{ range }}
        change={({ t: period, from, to }) => change({ t: period ?? null, from: from ?? null, to: to ?? null })}
      />
    </div>
  )
}
