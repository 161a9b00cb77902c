import { useTranslations } from 'next-intl'
import { EmptyState } from './states.tsx'

/** For somebody with an account and no organization. */
export function NoOrganization() {
  const t = useTranslations('home')
  return (
    <main className="narrow-page">
      <EmptyState title={t('noOrganization')}>{t('noOrganizationTodo')}</EmptyState>
    </main>
  )
}
