import { useTranslations } from 'next-intl'
import type { Removal } from '../../store/meta/retention/removals.ts'
import { OwnRemovals } from '../panels/settings/removal-list.tsx'
import { Button } from '../ui/forms/controls.tsx'
import { signOutAction } from './login/actions.ts'

/** Shown to an account without an organization: what to do, and the organizations it deleted. */
export function NoOrganization({ removals }: { removals: readonly Removal[] }) {
  const t = useTranslations('home')
  const account = useTranslations('account')
  return (
    <main className="narrow-page">
      <h1 className="mb-2">{t('noOrganization')}</h1>
      <p className="mb-6 text-ink-2">{t('noOrganizationTodo')}</p>
      <form action={signOutAction}>
        <Button type="submit">{account('signOut')}</Button>
      </form>
      <OwnRemovals removals={removals} />
    </main>
  )
}
