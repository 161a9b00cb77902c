'use client'
import type { EventDiagnosis } from '../../../domain/doctor.ts'
import type { EventPanel } from '../panel.ts'
import { EventDoctor } from './event-doctor.tsx'
import { needsDoctor } from './needs-doctor.ts'

/** Explains why frames of the event are not mapped to their sources. */
export const doctor: EventPanel<EventDiagnosis> = {
  id: 'doctor',
  guard: ({ event }) => needsDoctor(event),
  Component: ({ event, organization, detail, preloaded }) => (
    <EventDoctor
      organization={organization}
      project={detail.project.slug}
      eventId={event.eventID}
      preloaded={preloaded}
    />
  ),
}
