import { z } from 'zod'
import { feedbackStates } from '../domain/feedback-states.ts'
import type * as Rest from './rest.ts'

const digits = z.string().regex(/^\d+$/)
const time = z.iso.datetime()
const person = z.strictObject({ id: z.string(), name: z.string(), email: z.string() })

export const role = z.enum(['owner', 'admin', 'member', 'viewer'], { error: 'owner, admin, member or viewer.' })

export const invitation = z
  .strictObject({
    id: digits,
    email: z.string(),
    role,
    invitedBy: person.nullable(),
    dateCreated: time,
    dateExpires: time,
    expired: z.boolean(),
  })
  .meta({ id: 'Invitation' }) satisfies z.ZodType<Rest.RestInvitation>

export const newInvitation = z
  .strictObject({
    invitation,
    link: z.string().describe('Opens the invitation; told this once.'),
    mailed: z.boolean(),
    mailError: z.string().nullable().describe('Why the mail did not leave; null when it did or when no server is set.'),
  })
  .meta({ id: 'NewInvitation' })

export const feedbackState = z.enum(feedbackStates, { error: 'new, resolved or spam.' })

export const feedback = z
  .strictObject({
    id: digits,
    feedbackID: z.string(),
    kind: z.enum(['report', 'feedback']),
    project: z.strictObject({ id: digits, slug: z.string(), name: z.string() }),
    name: z.string(),
    email: z.string(),
    message: z.string(),
    url: z.string(),
    eventID: z.string().nullable(),
    issue: z.strictObject({ id: digits, shortId: z.string() }).nullable(),
    environment: z.string(),
    release: z.string(),
    status: feedbackState,
    dateCreated: time,
    attachments: z.array(
      z.strictObject({ id: digits, name: z.string(), mimetype: z.string(), size: z.number().int() }),
    ),
  })
  .meta({ id: 'Feedback' }) satisfies z.ZodType<Rest.RestFeedback>

export const removal = z
  .strictObject({
    id: digits,
    kind: z.enum(['organization', 'project', 'issue', 'discard']),
    title: z.string(),
    projectId: digits.nullable(),
    issueId: digits.nullable(),
    stage: z.enum(['asked', 'blobs', 'proof', 'done']),
    events: z.number().int(),
    files: z.number().int(),
    error: z.string(),
    dateCreated: time,
    dateEnded: time.nullable(),
  })
  .meta({ id: 'Removal' }) satisfies z.ZodType<Rest.RestRemoval>
