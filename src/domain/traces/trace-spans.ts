/**
 * The spans of a trace as columns: the entries at one index belong to one span. A trace can have 200,000 spans, and
 * columns are a third of the bytes of as many objects. Texts are numbers of `texts`, because a trace repeats them.
 */
export type TraceSpans = {
  /** Every text once. Number 0 is ''. */
  texts: readonly string[]
  /** 16 hexadecimal characters. */
  ids: readonly string[]
  /** '' for none. */
  parentIds: readonly string[]
  /** The number of the text that is the id of the span's segment, 0 if unknown. */
  segmentIds: readonly number[]
  /** The place of the span's project in the trace's list of projects. */
  projects: readonly number[]
  /** 1: the span is a segment. */
  segments: readonly number[]
  /** Microseconds after the origin of the trace. */
  starts: readonly number[]
  /** Microseconds. */
  durations: readonly number[]
  ops: readonly number[]
  names: readonly number[]
  statuses: readonly number[]
  /** 1: the span ended in an error. */
  failures: readonly number[]
  platforms: readonly number[]
  environments: readonly number[]
  cuts: readonly number[]
}

/** The text of one column of a span. */
export const textOf = (
  spans: TraceSpans,
  column: 'ops' | 'names' | 'statuses' | 'platforms' | 'environments' | 'cuts' | 'segmentIds',
  span: number,
): string => spans.texts[spans[column][span] ?? 0] ?? ''

/**
 * Whether a span and its parent ran in different processes: their projects differ, or the span is a segment, which an
 * SDK starts for work that another process asked for.
 */
export const isBoundary = (spans: TraceSpans, span: number, parent: number): boolean =>
  spans.projects[span] !== spans.projects[parent] || spans.segments[span] === 1
