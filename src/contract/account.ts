import { z } from 'zod'
import { textOrNull, time } from './scalars.ts'

/** users/me/sessions/: one login session of the caller. */
export const restLoginSession = z
  .strictObject({
    id: z.string(),
    isCurrent: z.boolean().describe('The current session.'),
    browser: textOrNull,
    system: textOrNull,
    userAgent: z.string(),
    address: textOrNull.describe('Address of the sign-in.'),
    dateCreated: time,
    dateLastUsed: time.describe('To within five minutes.'),
  })
  .meta({ id: 'LoginSession' })
export type RestLoginSession = z.infer<typeof restLoginSession>

/** Body to change the caller's password. */
export const passwordChangeBody = z.object({
  currentPassword: z.string().max(1000),
  newPassword: z.string().max(1000),
  endTokens: z.boolean().default(false),
})
