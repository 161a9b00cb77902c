import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { readableProjects } from '../../../../../auth/allowed-projects.ts'
import type { RestAlertRule } from '../../../../../contract/alerts/alerts.ts'
import { alertRulesPage } from '../../../../../query/alerts/alert-rules.ts'
import { writeCursor } from '../../../../../query/cursor.ts'
import { app } from '../../../../handle.ts'
import { AlertList } from '../../../../panels/alerts/alert-list.tsx'
import { type AlertListParams, alertListParams, pageRules } from '../../../../panels/alerts/list-params.ts'
import { loadReceivers } from '../../../../panels/alerts/load.ts'
import { projectIdsOf } from '../../../../panels/search/list-params.ts'
import { demandOrganization } from '../../../../server/session.ts'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('alerts.list'))('title') }
}

/** One page of the rules that match, and how many match. */
async function rulesOf(
  organizationId: number,
  params: AlertListParams,
  projectIds: readonly number[],
): Promise<{ rules: RestAlertRule[]; total: number }> {
  const { q, status, at } = params
  const { rows, hits } = await alertRulesPage(
    app(),
    organizationId,
    { query: q, status: status === '' ? undefined : status, projectIds },
    { cursor: writeCursor({ after: undefined, offset: at }), limit: pageRules },
  )
  return { rules: rows, total: hits ?? rows.length }
}

/** The alert rules of an organization. The state of the list is in the query string. */
export default async function AlertsPage({
  params,
  searchParams,
}: {
  params: Promise<{ org: string }>
  searchParams: Promise<Record<string, string | string[]>>
}) {
  const { org } = await params
  const search = new URLSearchParams(
    Object.entries(await searchParams).map(([key, value]): [string, string] => [key, String(value)]),
  )
  const here = await demandOrganization(org, `/o/${org}/alerts${search.size ? `?${search}` : ''}`)
  const { actor, organization } = here
  const { auth, meta } = app()
  const projects = await readableProjects(app(), actor, organization)
  const names = projects.map(({ id, slug, name }) => ({ id: String(id), slug, name }))
  const requested = alertListParams(search)
  const projectIds = projectIdsOf(requested.project, names).map(Number).filter(Number.isInteger)
  const [found, all, known] = await Promise.all([
    rulesOf(organization.id, requested, projectIds),
    meta.alertRules.listAlertRules(organization.id),
    loadReceivers(here),
  ])
  return (
    <AlertList
      organization={organization.slug}
      params={requested}
      {...found}
      all={all.length}
      projects={names}
      known={known}
      mayWrite={(await auth.may(actor, 'alert:write', { organization })) === 'yes'}
    />
  )
}
