import type { TraceSpans } from './trace-spans.ts'

/** One span of a test. Times in milliseconds. */
export type TestSpan = {
  id: string
  parent?: string
  from?: number
  for?: number
  project?: number
  segment?: boolean
  segmentId?: string
  op?: string
  name?: string
  status?: string
}

/** Builds the columns of test spans. Ids are padded to 16 characters. */
export function columnsOf(list: readonly TestSpan[]): TraceSpans {
  const texts = ['']
  const textOf = (text = '') => {
    const at = texts.indexOf(text)
    return at >= 0 ? at : texts.push(text) - 1
  }
  const pad = (id = '') => (id === '' ? '' : id.padStart(16, '0'))
  return {
    texts,
    ids: list.map((span) => pad(span.id)),
    parentIds: list.map((span) => pad(span.parent)),
    segmentIds: list.map((span) => textOf(pad(span.segmentId))),
    projects: list.map((span) => span.project ?? 0),
    segments: list.map((span) => (span.segment ? 1 : 0)),
    starts: list.map((span) => (span.from ?? 0) * 1000),
    durations: list.map((span) => (span.for ?? 10) * 1000),
    ops: list.map((span) => textOf(span.op)),
    names: list.map((span) => textOf(span.name)),
    statuses: list.map((span) => textOf(span.status)),
    failures: list.map((span) => (/error/.test(span.status ?? '') ? 1 : 0)),
    platforms: list.map(() => 0),
    environments: list.map(() => 0),
    cuts: list.map(() => 0),
  }
}
