import type { AloneReason, FailureSide, JoinReason } from '../domain/error-links.ts'

/** An event of the browser that hides a server error. */
export type RestBrowserEvent = {
  eventID: string
  groupID: string | null
  projectID: string
  projectSlug: string
  dateReceived: string
  reason: JoinReason
  /** The digest itself says so; else trace or page, moment and a breadcrumb do. */
  sure: boolean
}

/**
 * What an event has to do with a server error that the browser shows as a number. Of a browser event `server` is the error,
 * or `alone` says why there is none (`waiting`: it is looked for); of a server event `browser` is who met it.
 */
export type RestFailure = {
  side: FailureSide
  server: {
    reason: JoinReason
    sure: boolean
    eventID: string
    groupID: string
    shortId: string
    title: string
    projectID: string
    projectSlug: string
  } | null
  alone: AloneReason | 'waiting' | null
  browser: { events: number; newest: RestBrowserEvent[] } | null
}

/** What an issue's server errors were in the browser. Never part of the issue's own numbers: anyone can send such events. */
export type RestBrowserSide = {
  events: number
  people: number
  lastSeen: string | null
  newest: RestBrowserEvent[]
}
