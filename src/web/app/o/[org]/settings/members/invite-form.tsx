'use client'
import { useTranslations } from 'next-intl'
import type { Role } from '../../../../../../auth/auth.ts'
import { CopyButton } from '../../../../../ui/copy/copy-button.tsx'
import { ActionForm } from '../../../../../ui/forms/action-form.tsx'
import { Button, Field, Select, TextField } from '../../../../../ui/forms/controls.tsx'
import { type InviteState, inviteAction } from './actions.ts'
import { startState } from './state.ts'

/** The link of the new invitation. It is shown only once. */
function Link({ state }: { state: InviteState }) {
  const t = useTranslations('people')
  if (!state.link) return null
  const notice =
    state.mailError === null
      ? t('mailed')
      : state.mailError === ''
        ? t('notMailed')
        : t('mailFailed', { error: state.mailError })
  return (
    <div className="box p-3" role="status">
      <p className="mb-2">
        {t('linkOnce')} {notice}
      </p>
      <div className="flex items-center gap-2">
        <code className="min-w-0 break-all">{state.link}</code>
        <CopyButton text={state.link} label={t('copyLink')} />
      </div>
    </div>
  )
}

/** Invites an e-mail address with a role. */
export function InviteForm({ organization, roles }: { organization: string; roles: readonly Role[] }) {
  const t = useTranslations('people')
  return (
    <section className="mt-8">
      <h2 className="mb-3">{t('inviteTitle')}</h2>
      <ActionForm
        action={inviteAction}
        initial={startState}
        name="invite"
        className="flex max-w-[560px] flex-col gap-3"
      >
        {(state, pending) => (
          <>
            <Link state={state} />
            <input type="hidden" name="organization" value={organization} />
            <TextField
              id="invite-email"
              name="email"
              label={t('email')}
              errors={state.fields.email}
              type="email"
              autoComplete="off"
              required
              maxLength={254}
              defaultValue={state.values.email}
            />
            <Field id="invite-role" label={t('role')} hint={t('roleHint')} errors={state.fields.role}>
              <Select
                id="invite-role"
                name="role"
                defaultValue={state.values.role ?? (roles.includes('member') ? 'member' : 'viewer')}
                aria-describedby="invite-role-note"
              >
                {roles.map((role) => (
                  <option key={role} value={role}>
                    {t(`role_${role}`)}
                  </option>
                ))}
              </Select>
            </Field>
            <div>
              <Button type="submit" disabled={pending}>
                {t('invite')}
              </Button>
            </div>
          </>
        )}
      </ActionForm>
    </section>
  )
}
