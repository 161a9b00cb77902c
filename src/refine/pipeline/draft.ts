import type { NormalEvent } from '../../domain/event.ts'
import type { AnnotationsByStack } from '../fingerprint/stack-rules.ts'
import type { Loose, MetaNotes, Sent } from './value.ts'

/** Makes the draft of an event: the received JSON and an empty normalized form. */
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
  return { received, event, metaNotes: { path: [], meta: {}, errors } }
}

/**
 * An event in the pipeline: the received JSON (scrubbed in place by its step), the normalized form, and metadata notes.
 * `sent`: the payload that parses to `received`; the scrubber removes it when it changes `received`. `stackAnnotations`: the
 * annotations of stack-trace rules on the frames.
 */
export type Draft = {
  received: Loose
  event: NormalEvent
  metaNotes: MetaNotes
  sent?: Sent | undefined
  stackAnnotations?: AnnotationsByStack
}
