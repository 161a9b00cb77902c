import type { Metadata } from 'next'
import { getTimeZone, getTranslations } from 'next-intl/server'
import type { RestMute } from '../../../../../../contract/alerts/incidents.ts'
import { toRestMutes } from '../../../../../../query/alerts/incidents.ts'
import { app } from '../../../../../handle.ts'
import { AlertFrame } from '../../../../../panels/alerts/alert-frame.tsx'
import { demandOrganization } from '../../../../../server/session.ts'
import { PlainText } from '../../../../../ui/plain-text.tsx'
import { EmptyState } from '../../../../../ui/states.tsx'
import { Time } from '../../../../../ui/time.tsx'
import { EndMute, NewMute } from './mute-forms.tsx'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('incidents.mutes'))('title') }
}

async function Mute({ organization, mute, mayWrite }: { organization: string; mute: RestMute; mayWrite: boolean }) {
  const t = await getTranslations('incidents.mutes')
  const isOver = mute.end !== null && Date.parse(mute.end) <= app().clock.now()
  const state = mute.isActive ? 'running' : isOver ? 'over' : 'planned'
  return (
    <li className="flex flex-wrap items-baseline gap-x-4 gap-y-1 border-b border-line py-2">
      <span>{t(state)}</span>
      <span className="min-w-0 break-words">
        <PlainText text={mute.name} />
      </span>
      <span className="min-w-0 break-words text-small text-ink-2">
        {mute.kind === 'organization' ? t('organization') : t(mute.kind, { name: mute.targetName })}
      </span>
      <Time at={mute.start} form="moment" className="text-small text-ink-2" />
      <span aria-hidden>–</span>
      {mute.end === null ? null : <Time at={mute.end} form="moment" className="text-small text-ink-2" />}
      {mayWrite && !isOver ? <EndMute organization={organization} id={mute.id} /> : null}
    </li>
  )
}

/** Mutes and maintenance windows. */
export default async function MutesPage({ params }: { params: Promise<{ org: string }> }) {
  const { org } = await params
  const { actor, organization } = await demandOrganization(org, `/o/${org}/alerts/mutes`)
  const t = await getTranslations('incidents.mutes')
  const parts = app()
  const { auth, meta, clock } = parts
  const mayWrite = (await auth.may(actor, 'alert:write', { organization })) === 'yes'
  const mutes = await toRestMutes(parts, await meta.incidents.listMutes(organization.id), clock.now())
  const projects = await meta.projects.projectsOf(organization.id)
  const rules = await meta.alertRules.listAlertRules(organization.id)
  return (
    <AlertFrame organization={organization.slug} title={t('title')}>
      <p className="mb-4 max-w-[72ch] text-ink-2">{t('intro')}</p>
      {mutes.length > 0 ? (
        <ul className="border-t border-line">
          {mutes.map((mute) => (
            <Mute key={mute.id} organization={organization.slug} mute={mute} mayWrite={mayWrite} />
          ))}
        </ul>
      ) : (
        <EmptyState title={t('none')} />
      )}
      {mayWrite ? (
        <NewMute
          organization={organization.slug}
          projects={projects.map(({ id, slug }) => ({ id: String(id), name: slug }))}
          rules={rules.map(({ id, name }) => ({ id: String(id), name }))}
          zone={await getTimeZone()}
        />
      ) : null}
    </AlertFrame>
  )
}
