import type { Metadata } from 'next'
import { getTimeZone, getTranslations } from 'next-intl/server'
import { toRestSchedules } from '../../../../../../query/alerts/incidents.ts'
import { app } from '../../../../../handle.ts'
import { AlertFrame } from '../../../../../panels/alerts/alert-frame.tsx'
import { demandOrganization } from '../../../../../server/session.ts'
import { EmptyState } from '../../../../../ui/states.tsx'
import { NewSchedule } from './new-schedule.tsx'
import { Schedule } from './schedule.tsx'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('incidents.onCall'))('title') }
}

/** On-call schedules: who is on call now, and who takes over. */
export default async function OnCallPage({ params }: { params: Promise<{ org: string }> }) {
  const { org } = await params
  const { actor, organization } = await demandOrganization(org, `/o/${org}/alerts/on-call`)
  const t = await getTranslations('incidents.onCall')
  const parts = app()
  const { auth, meta, clock } = parts
  const mayWrite = (await auth.may(actor, 'alert:write', { organization })) === 'yes'
  const stored = await meta.incidents.listSchedules(organization.id)
  const turns = new Map(stored.map(({ id, members }) => [String(id), members]))
  const schedules = await toRestSchedules(parts, stored, clock.now())
  const memberIds = (await meta.organizations.membersOf(organization.id)).map(({ userId }) => userId)
  const people = (await meta.people.people(memberIds)).map(({ id, name, email }) => ({ id, name, email }))
  return (
    <AlertFrame organization={organization.slug} title={t('title')}>
      <p className="mb-4 max-w-[72ch] text-ink-2">{t('intro')}</p>
      {mayWrite ? null : <p className="mb-4 text-ink-2">{t('viewer')}</p>}
      {schedules.length > 0 ? (
        <ul className="border-t border-line">
          {schedules.map((schedule) => (
            <Schedule
              key={schedule.id}
              organization={organization.slug}
              schedule={{ ...schedule, turns: turns.get(schedule.id) ?? [] }}
              people={people}
              mayWrite={mayWrite}
            />
          ))}
        </ul>
      ) : (
        <EmptyState title={t('none')}>
          <p>{t('noneHint')}</p>
        </EmptyState>
      )}
      {mayWrite ? <NewSchedule organization={organization.slug} people={people} zone={await getTimeZone()} /> : null}
    </AlertFrame>
  )
}
