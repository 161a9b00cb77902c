'use client'
import { useTranslations } from 'next-intl'
import type { LoginSession } from '../../../../../../../auth/auth.ts'
import { type FormState, noState } from '../../../../../../client/form.ts'
import { ActionForm } from '../../../../../../ui/forms/action-form.tsx'
import { Button } from '../../../../../../ui/forms/controls.tsx'
import { PlainText } from '../../../../../../ui/plain-text.tsx'
import { Time } from '../../../../../../ui/time.tsx'
import { endOtherSessionsAction, endSessionAction } from './security-actions.ts'

type Action = (before: FormState, data: FormData) => Promise<FormState>

function EndButton({
  action,
  name,
  hidden,
  label,
  text,
}: {
  action: Action
  name: string
  hidden: Record<string, string>
  label?: string
  text: string
}) {
  return (
    <ActionForm action={action} initial={noState} name={name} className="">
      {(_state, pending) => (
        <>
          {Object.entries(hidden).map(([key, value]) => (
            <input key={key} type="hidden" name={key} value={value} />
          ))}
          <Button type="submit" compact look="danger" disabled={pending} {...(label ? { 'aria-label': label } : {})}>
            {text}
          </Button>
        </>
      )}
    </ActionForm>
  )
}

function SessionRow({ organization, session }: { organization: string; session: LoginSession }) {
  const t = useTranslations('security')
  const { browser, system } = session
  const device = browser && system ? t('device', { browser, system }) : (browser ?? system ?? t('unknownDevice'))
  return (
    <tr data-session={session.isCurrent ? 'current' : 'other'}>
      <td title={session.userAgent}>
        <span className="font-[550]">
          <PlainText text={device} />
        </span>
        {session.isCurrent ? <div className="text-small text-ink-3">{t('thisSession')}</div> : null}
      </td>
      <td className="break-all text-ink-2">{session.address || '–'}</td>
      <td className="whitespace-nowrap text-ink-2">
        <Time at={session.lastUsedMs} />
      </td>
      <td className="text-right">
        {session.isCurrent ? null : (
          <EndButton
            action={endSessionAction}
            name={`end-session-${session.id}`}
            hidden={{ organization, session: session.id }}
            label={t('endOne', { device })}
            text={t('end')}
          />
        )}
      </td>
    </tr>
  )
}

/** The person's login sessions, this one first. Each other one has a button to end it. */
export function Sessions({ organization, sessions }: { organization: string; sessions: readonly LoginSession[] }) {
  const t = useTranslations('security')
  const others = sessions.filter((session) => !session.isCurrent).length
  return (
    <section className="mb-8" id="sessions">
      <h2>{t('sessions')}</h2>
      <p className="mb-3 max-w-[72ch] text-ink-2">{t('sessionsIntro')}</p>
      <div className="overflow-x-auto">
        <table className="table">
          <thead>
            <tr>
              <th>{t('deviceHead')}</th>
              <th>{t('address')}</th>
              <th>{t('lastUse')}</th>
              <th>
                <span className="visually-hidden">{t('end')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {sessions.map((session) => (
              <SessionRow key={session.id} organization={organization} session={session} />
            ))}
          </tbody>
        </table>
      </div>
      <div className="mt-3">
        {others > 0 ? (
          <EndButton
            action={endOtherSessionsAction}
            name="end-other-sessions"
            hidden={{ organization }}
            text={t('endOthers', { count: others })}
          />
        ) : (
          <p className="text-ink-3">{t('noOthers')}</p>
        )}
      </div>
    </section>
  )
}
