import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { demandOrganization } from '../../../../../../server/session.ts'
import { Appearance } from './appearance.tsx'
import { EditorFields } from './editor-fields.tsx'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('frame'))('settings.appearance') }
}

/** Language, theme and editor of this browser. */
export default async function AppearancePage({ params }: { params: Promise<{ org: string }> }) {
  const { org } = await params
  await demandOrganization(org, `/o/${org}/settings/account/appearance`)
  const t = await getTranslations('frame')
  return (
    <div className="settings-page">
      <header className="page-head">
        <h1>{t('settings.appearance')}</h1>
      </header>
      <Appearance />
      <EditorFields />
    </div>
  )
}
