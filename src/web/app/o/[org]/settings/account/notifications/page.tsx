import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { smtpOf } from '../../../../../../../alert/smtp.ts'
import { readableProjects } from '../../../../../../../auth/allowed-projects.ts'
import { app } from '../../../../../../handle.ts'
import { demandOrganization } from '../../../../../../server/session.ts'
import { PersonalForm } from './personal-form.tsx'
import { PushBrowsers } from './push-browsers.tsx'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('frame'))('settings.personal') }
}

/** What the person wants to hear of the organization, and when. */
export default async function PersonalNotificationsPage({ params }: { params: Promise<{ org: string }> }) {
  const { org } = await params
  const { actor, organization } = await demandOrganization(org, `/o/${org}/settings/account/notifications`)
  const t = await getTranslations('personal')
  const frame = await getTranslations('frame')
  const { settings, rev } = await app().meta.personal.personalSettingsOf(organization.id, actor.person.id)
  const projects = await readableProjects(app(), actor, organization)
  const browsers = await app().meta.pushBrowsers.browsersOf([actor.person.id])
  const gone = await app().meta.pushBrowsers.goneBrowsersOf(actor.person.id)
  const wantsPush = JSON.stringify([settings.kinds, settings.projects]).includes('"push"')
  const hasMailServer = (await smtpOf(app())) !== undefined
  return (
    <div className="settings-page">
      <header className="page-head">
        <h1>{frame('settings.personal')}</h1>
      </header>
      <p className="mb-4 max-w-[72ch] text-ink-2">{t('intro', { email: actor.person.email })}</p>
      {hasMailServer ? null : (
        <p role="status" className="mb-4 max-w-[72ch] text-warning">
          {t('noServer')}
        </p>
      )}
      {wantsPush && browsers.length === 0 ? (
        <p role="status" className="mb-4 max-w-[72ch] text-warning">
          {t('noBrowser')}
        </p>
      ) : null}
      {/* After saving, the new key resets the form to the saved values. */}
      <PersonalForm
        key={rev}
        organization={organization.slug}
        revision={rev}
        settings={settings}
        projects={projects.map(({ id, slug }) => ({ slug, choice: settings.projects[id] ?? '' }))}
      />
      <PushBrowsers
        publicKey={await app().alerts.pushKey()}
        browsers={[...browsers.map((browser) => ({ ...browser, goneMs: null })), ...gone].map(
          ({ id, browser, createdMs, goneMs }) => ({ id, browser, createdMs, goneMs }),
        )}
      />
    </div>
  )
}
