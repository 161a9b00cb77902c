import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { getTranslations } from 'next-intl/server'
import { toRestAlertRules } from '../../../../../../query/alerts/alert-rules.ts'
import { app } from '../../../../../handle.ts'
import { emptyDraft } from '../../../../../panels/alerts/draft.ts'
import { loadEditor } from '../../../../../panels/alerts/load.ts'
import { RuleEditor } from '../../../../../panels/alerts/rule-editor.tsx'
import { demandOrganization } from '../../../../../server/session.ts'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('alerts.form'))('rule') }
}

/** One alert rule. */
export default async function AlertPage({ params }: { params: Promise<{ org: string; id: string }> }) {
  const { org, id } = await params
  const here = await demandOrganization(org, `/o/${org}/alerts/${encodeURIComponent(id)}`)
  const { organization } = here
  const found = /^\d{1,15}$/.test(id) ? await app().meta.alertRules.alertRuleById(Number(id)) : undefined
  if (!found || found.organizationId !== organization.id) notFound()
  const [stored] = await toRestAlertRules(app(), organization.id, [found])
  return (
    <RuleEditor
      key={id}
      organization={organization.slug}
      stored={stored}
      opening={emptyDraft}
      {...(await loadEditor(here))}
    />
  )
}
