import { z } from 'zod'
import type * as Rest from './rest-failure.ts'

const digits = z.string().regex(/^\d+$/)
const time = z.iso.datetime()
const eventID = z.string().regex(/^[0-9a-f]{32}$/)
const reason = z.enum(['digest', 'trace', 'route'])

const browserEvent = z
  .strictObject({
    eventID,
    groupID: digits.nullable(),
    projectID: digits,
    projectSlug: z.string(),
    dateReceived: time,
    reason,
    sure: z.boolean(),
  })
  .meta({ id: 'BrowserEvent' }) satisfies z.ZodType<Rest.RestBrowserEvent>

/** What an event has to do with a server error that the browser shows as a number. */
export const failure = z
  .strictObject({
    side: z.enum(['browser', 'server']),
    server: z
      .strictObject({
        reason,
        sure: z.boolean(),
        eventID,
        groupID: digits,
        shortId: z.string(),
        title: z.string(),
        projectID: digits,
        projectSlug: z.string(),
      })
      .nullable(),
    alone: z.enum(['none', 'several', 'waiting']).nullable(),
    browser: z.strictObject({ events: z.int(), newest: z.array(browserEvent) }).nullable(),
  })
  .meta({ id: 'Failure' }) satisfies z.ZodType<Rest.RestFailure>

/** What an issue's server errors were in the browser. */
export const browserSide = z
  .strictObject({
    events: z.int(),
    people: z.int(),
    lastSeen: time.nullable(),
    newest: z.array(browserEvent),
  })
  .meta({ id: 'BrowserSide' }) satisfies z.ZodType<Rest.RestBrowserSide>
