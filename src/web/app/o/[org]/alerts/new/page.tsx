import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { loadEditor } from '../../../../../panels/alerts/load.ts'
import { draftOfAddress } from '../../../../../panels/alerts/presets.ts'
import { RuleEditor } from '../../../../../panels/alerts/rule-editor.tsx'
import { demandOrganization } from '../../../../../server/session.ts'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('alerts.form'))('new') }
}

/** A new alert rule: empty, from a preset, or from a query of Explore. */
export default async function NewAlertPage({
  params,
  searchParams,
}: {
  params: Promise<{ org: string }>
  searchParams: Promise<Record<string, string | string[] | undefined>>
}) {
  const { org } = await params
  const search = new URLSearchParams()
  for (const [name, values] of Object.entries(await searchParams))
    for (const value of [values ?? []].flat()) search.append(name, value)
  const here = await demandOrganization(org, `/o/${org}/alerts/new${search.size ? `?${search}` : ''}`)
  const t = await getTranslations('alerts.presets')
  const opening = draftOfAddress(search, (preset) => t(`names.${preset}`))
  return (
    <RuleEditor
      key={search.toString()}
      organization={here.organization.slug}
      stored={undefined}
      opening={opening}
      {...(await loadEditor(here))}
    />
  )
}
