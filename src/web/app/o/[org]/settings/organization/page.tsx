import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { app } from '../../../../../handle.ts'
import { demandOrganization } from '../../../../../session.ts'
import { OrganizationHead } from '../../../../../ui/organization-head.tsx'
import { PlainText } from '../../../../../ui/plain-text.tsx'
import { RelativeTime } from '../../../../../ui/time.tsx'
import { OrganizationForm } from './organization-form.tsx'

/** Removals that the page shows; the API has more. */
const shownMax = 20

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('people'))('organization') }
}

/** Name, slug and retention of the organization, and what was deleted in it. */
export default async function OrganizationPage({ params }: { params: Promise<{ org: string }> }) {
  const { org } = await params
  const { actor, organization } = await demandOrganization(org, `/o/${org}/settings/organization`)
  const t = await getTranslations('people')
  const { auth, meta, config } = app()
  const mayWrite = auth.may(actor, 'organization:write', { organization }) === 'yes'
  const { retentionErrorsDays, rev } = meta.organizationSettings(organization.id)
  const removals = meta.removalsOf(organization.id, shownMax)
  const { name, slug } = organization
  return (
    <div className="page max-w-[860px]">
      <OrganizationHead organization={organization} here="organization" />
      <p className="mb-4 max-w-[72ch] text-ink-2">{mayWrite ? t('organizationIntro') : t('organizationReadOnly')}</p>
      {/* A saved form begins anew with what was saved. */}
      <OrganizationForm
        key={rev}
        organization={{ name, slug, retentionErrorsDays, revision: rev }}
        daysMax={config.retentionErrorsDays}
        disabled={!mayWrite}
      />
      <section className="mt-10">
        <h2 className="mb-3">{t('removals')}</h2>
        {removals.length === 0 ? <p className="text-ink-2">{t('removalsNone')}</p> : null}
        <ul>
          {removals.map((one) => (
            <li key={one.id} className="flex flex-wrap gap-x-3 border-t border-line py-2">
              <span className="font-[550]">
                <PlainText text={one.title} charactersMax={80} />
              </span>
              <span className="text-ink-2">{t(`kind_${one.kind}`)}</span>
              <span>{t(`stage_${one.stage}`)}</span>
              <span className="text-ink-2">{t('removed', { events: one.events, files: one.blobs })}</span>
              {one.error ? (
                <span className="text-error">
                  <PlainText text={one.error} charactersMax={300} />
                </span>
              ) : null}
              <RelativeTime at={one.createdMs} className="text-ink-3" />
            </li>
          ))}
        </ul>
      </section>
    </div>
  )
}
