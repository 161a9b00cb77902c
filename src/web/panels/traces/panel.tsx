'use client'
import type { RestTraceMeta } from '../../../contract/explore/traces.ts'
import type { EventPanel } from '../panel.ts'
import { TraceStrip } from './trace-strip.tsx'

/** The event's trace as a timeline. */
export const trace: EventPanel<RestTraceMeta> = {
  id: 'trace',
  Component: ({ event, organization, base, preloaded }) => (
    <TraceStrip key={event.eventID} organization={organization} event={event} base={base} preloaded={preloaded} />
  ),
}
