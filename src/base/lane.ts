/**
 * A lane of the journal. Refine has a cursor for each, so that events do not wait behind bulk data. `bulk`: records with
 * nothing but spans, transactions, logs and metrics. `events`: all others.
 */
export type Lane = 'events' | 'bulk'

/** All lanes, the most urgent first. */
export const lanes: readonly Lane[] = ['events', 'bulk']
