import { z } from 'zod'
import { feedbackStates } from '../domain/feedback-states.ts'
import { digits, time } from './scalars.ts'

export const feedbackState = z.enum(feedbackStates, { error: 'new, resolved or spam.' })

/** organizations/{org}/feedback/: user feedback about an application. Texts are untrusted: never markup. */
export const restFeedback = z
  .strictObject({
    id: digits,
    /** Screenshots are attachments with this event id. */
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
  .meta({ id: 'Feedback' })
export type RestFeedback = z.infer<typeof restFeedback>

/** Body to change feedback. */
export const feedbackChangeBody = z.object({ status: feedbackState })
