import { z } from 'zod'
import { digits, time } from './scalars.ts'

/** Short form of a person. */
export const restPerson = z.strictObject({ id: z.string(), name: z.string(), email: z.string() })

/** The caller. */
export const restUser = restPerson.extend({ username: z.string() }).meta({ id: 'User' })
export type RestUser = z.infer<typeof restUser>

const role = z.enum(['owner', 'admin', 'member', 'viewer'], { error: 'owner, admin, member or viewer.' })

/** GET organizations/{org}/members/ */
export const restMember = z
  .strictObject({
    id: z.string(),
    email: z.string(),
    name: z.string(),
    user: restUser,
    role,
    orgRole: role,
    pending: z.boolean(),
    expired: z.boolean(),
    inviteStatus: z.literal('approved'),
    dateCreated: time,
  })
  .meta({ id: 'Member' })
export type RestMember = z.infer<typeof restMember>

/** organizations/{org}/invitations/: a person who was invited to join. */
export const restInvitation = z
  .strictObject({
    id: digits,
    email: z.string(),
    role,
    invitedBy: restPerson.nullable(),
    dateCreated: time,
    dateExpires: time,
    expired: z.boolean(),
  })
  .meta({ id: 'Invitation' })
export type RestInvitation = z.infer<typeof restInvitation>

export const restNewInvitation = z
  .strictObject({
    invitation: restInvitation,
    link: z.string().describe('Opens the invitation. Shown only once.'),
    mailed: z.boolean(),
    mailError: z
      .string()
      .nullable()
      .describe('Why the mail could not be sent. Null if it was sent or no mail server is configured.'),
  })
  .meta({ id: 'NewInvitation' })
export type RestNewInvitation = z.infer<typeof restNewInvitation>

/** Body to change a member. */
export const memberChangeBody = z.object({ role })
/** Body of a new invitation. */
export const invitationBody = z.object({ email: z.string().max(1000), role })
export type InvitationBody = z.output<typeof invitationBody>
