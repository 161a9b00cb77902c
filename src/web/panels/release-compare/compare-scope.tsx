'use client'
import { usePathname, useRouter, useSearchParams } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { useTransition } from 'react'
import { versionInfo } from '../../../domain/release-order.ts'
import { Choices, Popup } from '../../ui/popup.tsx'
import { EnvironmentSelect } from '../search/list-filters.tsx'

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

/** Both releases and the environment. Each is part of the URL, and the server compares again. */
export function CompareScope({
  organization,
  params,
  versions,
  environments,
}: {
  organization: string
  params: { a: string; b: string; env: string }
  versions: readonly string[]
  environments: string[] | undefined
}) {
  const t = useTranslations('compare')
  const router = useRouter()
  const path = usePathname()
  const search = useSearchParams()
  const [isPending, start] = useTransition()
  function change(changed: Partial<Record<'a' | 'b' | 'env', string>>): void {
    const next = new URLSearchParams(search)
    for (const [key, value] of Object.entries({ a: params.a, b: params.b, ...changed })) {
      if (value) next.set(key, value)
      else next.delete(key)
    }
    start(() => router.push(`${path}?${next}`, { scroll: false }))
  }
  return (
    <div className="compare-scope" data-pending={isPending || undefined}>
      <ReleaseChoice
        name="release"
        label={t('release')}
        value={params.b}
        versions={versions}
        choose={(b) => change({ b })}
      />
      <ReleaseChoice
        name="against"
        label={t('against')}
        value={params.a}
        versions={versions}
        choose={(a) => change({ a })}
      />
      <EnvironmentSelect
        organization={organization}
        value={params.env}
        preloaded={environments}
        change={({ env }) => change({ env: env ?? '' })}
      />
    </div>
  )
}
