'use client'
import type { EventPanel } from '../panel.ts'
import { Evidence } from './evidence.tsx'

/** What a detector found in a trace: numbers, statement and spans. Only performance issues have it. */
export const evidence: EventPanel = {
  id: 'evidence',
  guard: ({ event }) => event.occurrence !== null,
  Component: ({ event, organization }) =>
    event.occurrence ? <Evidence occurrence={event.occurrence} organization={organization} /> : null,
}
