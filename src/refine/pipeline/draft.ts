import type { NormalEvent } from '../../domain/event.ts'
import type { Draft } from './step.ts'
import type { Loose } from './value.ts'

/** An event before its first step: what was sent, and nothing made of it. */
export function newDraft(received: Loose, eventId: string): Draft {
  const errors: NormalEvent['errors'] = []
  const event: NormalEvent = {
    event_id: eventId,
    timestamp: 0,
    received: 0,
    platform: 'other',
    level: 'error',
    type: 'default',
    tags: [],
    errors,
    contexts: {},
    findings: {
      title: '',
      culprit: '',
      metadata: {},
      kind: 'message',
      unhandled: false,
      grouping: { version: 0, variants: [] },
    },
  }
  return { received, event, remarks: { path: [], meta: {}, errors } }
}
