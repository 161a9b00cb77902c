import type { RestEntry, RestEvent } from '../../contract/events.ts'

/** The event's entry of this type, or undefined. */
export function entryOf<T extends RestEntry['type']>(
  event: RestEvent,
  type: T,
): Extract<RestEntry, { type: T }> | undefined {
  return event.entries.find((entry): entry is Extract<RestEntry, { type: T }> => entry.type === type)
}
