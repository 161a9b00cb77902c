import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import type { Organization } from '../../../../../../store/meta/meta.ts'
import { app } from '../../../../../handle.ts'
import { OrganizationHead } from '../../../../../panels/settings/organization-head.tsx'
import { RemovalList } from '../../../../../panels/settings/removal-list.tsx'
import { demandOrganization } from '../../../../../server/session.ts'
import { OrganizationDanger } from './danger.tsx'
import { OrganizationEnding } from './ending.tsx'
import { OrganizationForm } from './organization-form.tsx'

/** Maximum removals to show; the API has more. */
const shownMax = 20

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('people'))('organization') }
}

/** The next oldest organization, whose owners get the installation; null: none; undefined: not the oldest. */
function successorOf(all: readonly Organization[], id: number): Organization | null | undefined {
  return all[0]?.id === id ? (all[1] ?? null) : undefined
}

/** Name, slug and retention of the organization, and its deletions. */
export default async function OrganizationPage({ params }: { params: Promise<{ org: string }> }) {
  const { org } = await params
  const { actor, organization } = await demandOrganization(org, `/o/${org}/settings/organization`)
  const t = await getTranslations('people')
  const { auth, meta, config } = app()
  const mayWrite = (await auth.may(actor, 'organization:write', { organization })) === 'yes'
  const { retentionErrorsDays, rev } = await meta.organizations.organizationSettings(organization.id)
  const removals = await meta.retention.removalsOf(organization.id, shownMax)
  const { name, slug } = organization
  const ending = removals.find((removal) => removal.kind === 'organization' && removal.endedMs === null)
  return (
    <div className="settings-page">
      <OrganizationHead organization={organization} here="organization" />
      <p className="mb-4 max-w-[72ch] text-ink-2">{mayWrite ? t('organizationIntro') : t('organizationReadOnly')}</p>
      {/* After saving, the new key resets the form to the saved values. */}
      <OrganizationForm
        key={rev}
        organization={{ name, slug, retentionErrorsDays, revision: rev }}
        daysMax={config.retentionErrorsDays}
        disabled={!mayWrite}
      />
      <section className="mt-10">
        <h2 className="mb-3">{t('removals')}</h2>
        {removals.length === 0 ? <p className="text-ink-2">{t('removalsNone')}</p> : null}
        <RemovalList removals={removals} />
      </section>
      {ending ? <OrganizationEnding removal={ending.id} /> : null}
      {!ending && (await auth.may(actor, 'organization:delete', { organization })) === 'yes' ? (
        <OrganizationDanger
          organization={{ slug, name }}
          successor={successorOf(await meta.organizations.organizations(), organization.id)}
        />
      ) : null}
    </div>
  )
}
