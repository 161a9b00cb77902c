import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { toRestIntegrations, toRestMappings } from '../../../../../../query/alerts/trackers.ts'
import { app } from '../../../../../handle.ts'
import { demandOrganization } from '../../../../../server/session.ts'
import { EmptyState } from '../../../../../ui/states.tsx'
import { ConnectForm } from './connect-form.tsx'
import { IntegrationRow } from './integration-row.tsx'
import { Mappings } from './mappings.tsx'

/** Repositories in the list of the mapping form. */
const repositoriesMax = 500

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('integrations'))('title') }
}

/** Connected issue trackers with their state, the form to connect a tracker, and code mappings. */
export default async function IntegrationsPage({ params }: { params: Promise<{ org: string }> }) {
  const { org } = await params
  const { actor, organization } = await demandOrganization(org, `/o/${org}/settings/integrations`)
  const t = await getTranslations('integrations')
  const parts = app()
  const { auth, meta } = parts
  const mayWrite = (await auth.may(actor, 'integration:write', { organization })) === 'yes'
  const mayMap = (await auth.may(actor, 'release:write', { organization })) === 'yes'
  const integrations = await meta.trackers.integrationsOf(organization.id)
  const shown = await toRestIntegrations(parts, organization.id, integrations)
  const projects = await meta.projects.projectsOf(organization.id)
  const mappings = toRestMappings(await meta.trackers.codeMappingsOf(organization.id), projects, integrations)
  const repositories = await meta.releases.repositoriesOf({
    organizationId: organization.id,
    listed: false,
    offset: 0,
    max: repositoriesMax,
  })
  return (
    <div className="settings-page">
      <header className="page-head">
        <h1>{t('title')}</h1>
      </header>
      <p className="mb-4 max-w-[72ch] text-ink-2">{mayWrite ? t('intro') : t('readOnly')}</p>
      {shown.length === 0 ? (
        <EmptyState title={t('none')}>{mayWrite ? t('noneHint') : null}</EmptyState>
      ) : (
        <ul className="border-t border-line">
          {shown.map((integration) => (
            <IntegrationRow
              key={integration.id}
              organization={organization.slug}
              integration={integration}
              mayWrite={mayWrite}
            />
          ))}
        </ul>
      )}
      {mayWrite ? <ConnectForm organization={organization.slug} /> : null}
      <Mappings
        organization={organization.slug}
        mappings={mappings}
        mayWrite={mayMap}
        projects={projects.map(({ slug }) => slug)}
        repositories={repositories.map(({ id, name }) => ({ id, name }))}
      />
    </div>
  )
}
