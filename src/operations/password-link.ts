import type { Alerts } from '../alert/alert.ts'
import { resetMail } from '../alert/reset-mail.ts'
import type { Auth } from '../auth/auth.ts'
import { resetMinutes } from '../auth/password-change.ts'
import type { Observe } from '../base/observe.ts'

/**
 * Creates the link for a forgotten password and mails it, if the address has an account. A failed mail is only logged:
 * the caller must not reveal whether an account exists.
 */
export async function mailPasswordLink(
  deps: {
    auth: Pick<Auth, 'startReset'>
    alerts: Pick<Alerts, 'mail'>
    config: { url: string }
    observe: Pick<Observe, 'warn'>
  },
  email: string,
): Promise<void> {
  const created = await deps.auth.startReset(email)
  if (!created) return
  const link = `${deps.config.url}/reset-password?secret=${created.secret}`
  const failure = await deps.alerts.mail(resetMail({ to: created.person, link, minutes: resetMinutes }))
  if (failure !== undefined) deps.observe.warn({ error: failure }, 'a password reset link was not mailed')
}
