import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { app } from '../../../../../handle.ts'
import { OwnRemovals } from '../../../../../panels/settings/removal-list.tsx'
import { demandOrganization } from '../../../../../server/session.ts'
import { Button } from '../../../../../ui/forms/controls.tsx'
import { PlainText } from '../../../../../ui/plain-text.tsx'
import { signOutAction } from '../../../../login/actions.ts'

/** Maximum deleted organizations to show; the API has more. */
const removalsMax = 20

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('frame'))('settings.profile') }
}

/** The signed-in person, the way out, and the organizations that they deleted. */
export default async function ProfilePage({ params }: { params: Promise<{ org: string }> }) {
  const { org } = await params
  const { actor } = await demandOrganization(org, `/o/${org}/settings/account`)
  const t = await getTranslations('account')
  const frame = await getTranslations('frame')
  return (
    <div className="settings-page">
      <header className="page-head">
        <h1>{frame('settings.profile')}</h1>
      </header>
      <section className="mb-8 flex flex-wrap items-center gap-4">
        <div className="min-w-0">
          <div className="font-[550]">
            <PlainText text={actor.person.name} />
          </div>
          <div className="text-ink-2">{actor.person.email}</div>
        </div>
        <form action={signOutAction} className="ml-auto">
          <Button type="submit">{t('signOut')}</Button>
        </form>
      </section>
      <OwnRemovals removals={await app().meta.retention.organizationRemovalsBy(actor.person.id, removalsMax)} />
    </div>
  )
}
