import { z } from 'zod'
import type { MetaStore } from '../store/meta/meta.ts'
import type { SmtpSettings } from './send/email.ts'

export type { SmtpSettings }

/** Name of meta's value that holds the sealed settings; '' for none. */
export const smtpValue = 'smtp'
const shape = z.object({
  host: z.string(),
  port: z.number(),
  security: z.enum(['tls', 'starttls', 'none']),
  user: z.string(),
  password: z.string(),
  from: z.string(),
})

type Room = { meta: Pick<MetaStore, 'getValue'>; seal: { open(sealed: string): string } }

/** The mail server in use; undefined when none is set or its password can't be opened any more. */
export function smtpOf({ meta, seal }: Room): SmtpSettings | undefined {
  const sealed = meta.getValue(smtpValue)
  if (!sealed) return undefined
  try {
    return shape.parse(JSON.parse(seal.open(sealed)))
  } catch {
    return undefined
  }
}
