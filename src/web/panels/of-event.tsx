'use client'
import type { EventPanel, IssuePanel } from './panel.ts'

/** A panel of the event in a column of the issue. It has nothing to show while none of the events is stored. */
export function ofEvent<Data>({ id, guard, Component }: EventPanel<Data>): IssuePanel<Data> {
  return {
    id,
    guard: ({ event, ...rest }) => event !== undefined && (guard?.({ ...rest, event }) ?? true),
    Component: ({ event, ...rest }) => (event ? <Component {...rest} event={event} /> : null),
  }
}
