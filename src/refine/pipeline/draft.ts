import type { NormalEvent } from '../../domain/event.ts'
import type { Marks } from '../fingerprint/stack-rules.ts'
import type { Loose, Remarks, Sent } from './value.ts'

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

/**
 * One event on its way: what was sent (scrubbed in place at its step), what it became, what there is to remark. `sent`: the
 * payload whose JSON `received` is; the scrubber takes it away when `received` no longer is that. `marks`: what stack-trace
 * rules said about the frames.
 */
export type Draft = { received: Loose; event: NormalEvent; remarks: Remarks; sent?: Sent | undefined; marks?: Marks }
