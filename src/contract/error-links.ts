import { z } from 'zod'
import { digits, eventId, time } from './scalars.ts'

/** Evidence that links a browser event and a server error. */
const reason = z.enum(['digest', 'trace', 'route'])

/** A browser event that hides a server error. */
const restBrowserEvent = z
  .strictObject({
    eventID: eventId,
    groupID: digits.nullable(),
    projectID: digits,
    projectSlug: z.string(),
    dateReceived: time,
    reason,
    /** True if the digest itself proves the link. Otherwise trace or page, time and a breadcrumb suggest it. */
    sure: z.boolean(),
  })
  .meta({ id: 'BrowserEvent' })
export type RestBrowserEvent = z.infer<typeof restBrowserEvent>

/** The error link of an event: a server error that the browser shows as a number only. */
export const restErrorLink = z
  .strictObject({
    side: z.enum(['browser', 'server']),
    /** For a browser event: the server error behind it. */
    server: z
      .strictObject({
        reason,
        sure: z.boolean(),
        eventID: eventId,
        groupID: digits,
        shortId: z.string(),
        title: z.string(),
        projectID: digits,
        projectSlug: z.string(),
      })
      .nullable(),
    /** For an unlinked browser event: the reason. `waiting`: the search for the server error is not complete. */
    alone: z.enum(['none', 'several', 'waiting']).nullable(),
    /** For a server event: the browser events that hide it. */
    browser: z.strictObject({ events: z.int(), newest: z.array(restBrowserEvent) }).nullable(),
  })
  .meta({ id: 'Failure' })
export type RestErrorLink = z.infer<typeof restErrorLink>

/**
 * The browser events that hide an issue's server errors. The issue's own counts never include them, because anyone can
 * send such events.
 */
export const restClientEnds = z
  .strictObject({
    events: z.int(),
    people: z.int(),
    lastSeen: time.nullable(),
    newest: z.array(restBrowserEvent),
  })
  .meta({ id: 'BrowserSide' })
export type RestClientEnds = z.infer<typeof restClientEnds>
