'use client'
import { useTranslations } from 'next-intl'
import { ActionForm } from '../../../../../ui/forms/action-form.tsx'
import { Button, Field, Select, TextField } from '../../../../../ui/forms/controls.tsx'
import { clearMailServerAction, setMailServerAction } from './actions.ts'
import { startState } from './channel-row.tsx'

export type ShownServer = {
  host: string
  port: number
  security: 'tls' | 'starttls' | 'none'
  user: string
  from: string
  hasPassword: boolean
}

const securities = ['starttls', 'tls', 'none'] as const
const fields = ['host', 'port', 'user', 'password', 'from'] as const

/** The mail server of the installation, for its owner. */
export function MailServer({ organization, server }: { organization: string; server: ShownServer | null }) {
  const t = useTranslations('notifications')
  const set: Record<(typeof fields)[number], string> = {
    host: server?.host ?? '',
    port: String(server?.port ?? 587),
    user: server?.user ?? '',
    password: '',
    from: server?.from ?? '',
  }
  return (
    <section className="mt-10">
      <h2>{t('serverTitle')}</h2>
      <p className="mb-3 max-w-[72ch] text-ink-2">{server ? t('serverSet') : t('serverNone')}</p>
      <ActionForm
        action={setMailServerAction}
        initial={startState}
        name="mail-server"
        className="flex max-w-[560px] flex-col gap-3"
      >
        {(state, pending) => (
          <>
            <input type="hidden" name="organization" value={organization} />
            {fields.map((name) => (
              <TextField
                key={name}
                id={`smtp-${name}`}
                name={name}
                label={t(`smtp_${name}`)}
                errors={state.fields[name]}
                hint={name === 'password' && server?.hasPassword ? t('keepPassword') : undefined}
                type={name === 'password' ? 'password' : 'text'}
                autoComplete="off"
                inputMode={name === 'port' ? 'numeric' : undefined}
                defaultValue={state.values[name] ?? set[name]}
              />
            ))}
            <Field id="smtp-security" label={t('smtp_security')} errors={state.fields.security}>
              <Select
                id="smtp-security"
                name="security"
                defaultValue={state.values.security ?? server?.security ?? 'starttls'}
                aria-describedby="smtp-security-note"
              >
                {securities.map((security) => (
                  <option key={security} value={security}>
                    {t(`security_${security}`)}
                  </option>
                ))}
              </Select>
            </Field>
            <div className="flex items-center gap-3">
              <Button type="submit" disabled={pending}>
                {t('saveServer')}
              </Button>
              {state.done ? <span role="status">{t('saved')}</span> : null}
            </div>
          </>
        )}
      </ActionForm>
      {server ? (
        <ActionForm action={clearMailServerAction} initial={startState} name="clear-mail-server" className="mt-3">
          {(_state, pending) => (
            <>
              <input type="hidden" name="organization" value={organization} />
              <Button type="submit" compact look="danger" disabled={pending}>
                {t('clearServer')}
              </Button>
            </>
          )}
        </ActionForm>
      ) : null}
    </section>
  )
}
