import { z } from 'zod'
import { MishapError } from '../base/errors.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'
import type { SmtpSettings } from './send/email.ts'

export type { SmtpSettings }

const name = 'smtp'
const shape = z.object({
  host: z.string(),
  port: z.number(),
  security: z.enum(['tls', 'starttls', 'none']),
  user: z.string(),
  password: z.string(),
  from: z.string(),
})

/** What a person types; an absent password keeps the one that is set. */
export type SmtpText = {
  host: string
  port: number
  security: string
  user: string
  password?: string | undefined
  from: string
}

type Room = {
  meta: Pick<MetaStore, 'getValue' | 'setValue'>
  seal: { seal(text: string): string; open(sealed: string): string }
}

/** The mail server in use; undefined when none is set or its password can't be opened any more. */
export function smtpOf({ meta, seal }: Room): SmtpSettings | undefined {
  const sealed = meta.getValue(name)
  if (!sealed) return undefined
  try {
    return shape.parse(JSON.parse(seal.open(sealed)))
  } catch {
    return undefined
  }
}

/** Checks and keeps the settings, sealed. Throws VALIDATION with fields. */
export function setSmtp(room: Room, text: SmtpText): SmtpSettings {
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
  const before = smtpOf(room)
  const settings: SmtpSettings = {
    host,
    port: text.port,
    security: text.security as SmtpSettings['security'],
    user: text.user,
    // Another server or account never gets the old one's password.
    password: text.password ?? (before && before.host === host && before.user === text.user ? before.password : ''),
    from,
  }
  room.meta.setValue(name, room.seal.seal(JSON.stringify(settings)))
  return settings
}

/** Takes the mail server away. */
export const clearSmtp = ({ meta }: Pick<Room, 'meta'>): void => meta.setValue(name, '')
