import { z } from 'zod'
import type { MetaWith } from '../store/meta/meta-store.ts'
import type { SmtpSettings } from './send/mailer.ts'

export type { SmtpSettings }

/** Name of the meta value with the sealed settings; '' for none. */
export const smtpValue = 'smtp'
const shape = z.object({
  host: z.string(),
  port: z.number(),
  security: z.enum(['tls', 'starttls', 'none']),
  user: z.string(),
  password: z.string(),
  from: z.string(),
})

type SmtpDeps = { meta: MetaWith<'values.getValue'>; seal: { open(sealed: string): string } }

/** Returns the configured mail server; undefined if there is none or its settings cannot be decrypted. */
export async function smtpOf({ meta, seal }: SmtpDeps): Promise<SmtpSettings | undefined> {
  const sealed = await meta.values.getValue(smtpValue)
  if (!sealed) return undefined
  try {
    return shape.parse(JSON.parse(seal.open(sealed)))
  } catch {
    return undefined
  }
}
