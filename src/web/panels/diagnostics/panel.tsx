'use client'
import type { EventPanel } from '../panel.ts'
import { Diagnostics } from './diagnostics.tsx'

/** What the event's error is, beyond its message: noise, skew, hydration and the like. */
export const diagnostics: EventPanel = {
  id: 'diagnostics',
  Component: ({ event }) => (event.signs ? <Diagnostics signs={event.signs} /> : null),
}
