'use client'
import type { EventPanel } from '../panel.ts'
import { Diagnostics } from './diagnostics.tsx'

/** The diagnostics of the event's error: noise, skew, hydration and so on. */
export const diagnostics: EventPanel = {
  id: 'diagnostics',
  Component: ({ event }) => (event.signs ? <Diagnostics diagnostics={event.signs} /> : null),
}
