import { getTranslations } from 'next-intl/server'
import { PlainText } from '../../ui/plain-text.tsx'

/** The head of an organization's settings page: its title, and the name of the organization. */
export async function OrganizationHead({
  organization,
  here,
}: {
  organization: { name: string }
  here: 'organization' | 'members'
}) {
  const t = await getTranslations('frame.settings')
  return (
    <header className="page-head">
      <h1>{t(here)}</h1>
      <span className="text-ink-2">
        <PlainText text={organization.name} charactersMax={64} />
      </span>
    </header>
  )
}
