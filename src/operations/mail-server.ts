import { type SmtpSettings, smtpOf, smtpValue } from '../alert/smtp.ts'
import type { Seal } from '../auth/seal.ts'
import { MishapError } from '../base/errors.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'

/** The settings as entered by a person. An absent password means the stored password. */
export type SmtpText = {
  host: string
  port: number
  security: string
  user: string
  password?: string | undefined
  from: string
}

type Deps = { meta: MetaWith<'values.getValue' | 'values.setValue'>; seal: Seal }

/** Checks the settings and stores them sealed. Throws VALIDATION with fields. */
export async function setMailServer(deps: Deps, text: SmtpText): Promise<SmtpSettings> {
  const fields: Record<string, string[]> = {}
  const host = text.host.trim()
  if (!/^[A-Za-z0-9.:-]{1,253}$/.test(host)) fields.host = ['A host name or address, without a port.']
  if (!Number.isInteger(text.port) || text.port < 1 || text.port > 65_535) fields.port = ['1 to 65535.']
  if (text.security !== 'tls' && text.security !== 'starttls' && text.security !== 'none')
    fields.security = ['tls, starttls or none.']
  const from = text.from.trim()
  if (!/^(?:[^\r\n<>"]{1,64} <[^\s@<>"]+@[^\s@<>"]+>|[^\s@<>"]+@[^\s@<>"]+)$/.test(from) || from.length > 254)
    fields.from = ['An address such as mishap@example.com or Mishap <mishap@example.com>.']
  if (text.user.length > 254) fields.user = ['At most 254 characters.']
  if (Object.keys(fields).length) throw new MishapError('VALIDATION', { fields })
  const before = await smtpOf(deps)
  const settings: SmtpSettings = {
    host,
    port: text.port,
    security: text.security as SmtpSettings['security'],
    user: text.user,
    // Never send the old password to another server or account.
    password: text.password ?? (before && before.host === host && before.user === text.user ? before.password : ''),
    from,
  }
  await deps.meta.values.setValue(smtpValue, deps.seal.seal(JSON.stringify(settings)))
  return settings
}

/** Removes the mail server. */
export const clearMailServer = ({ meta }: { meta: MetaWith<'values.setValue'> }): Promise<void> =>
  meta.values.setValue(smtpValue, '')
