'use client'
import type { EventDiagnosis } from '../../../domain/doctor.ts'
import type { EventPanel } from '../panel.ts'
import { wantsDoctor } from './doctor-questions.ts'
import { EventDoctor } from './event-doctor.tsx'

/** Why frames of the event are not mapped to their sources. */
export const doctor: EventPanel<EventDiagnosis> = {
  id: 'doctor',
  guard: ({ event }) => wantsDoctor(event),
  Component: ({ event, organization, detail, preloaded }) => (
    <EventDoctor organization={organization} project={detail.project.slug} eventId={event.eventID} given={preloaded} />
  ),
}
