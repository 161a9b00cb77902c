import type { Window } from './zoom.ts'

export const views = ['waterfall', 'flame', 'list'] as const
export type View = (typeof views)[number]

/** Times with the clocks of services corrected, or as the services reported them. */
export const clockChoices = ['corrected', 'recorded'] as const
export type Clocks = (typeof clockChoices)[number]

/** What a link to a trace holds. Times are microseconds after the origin of the trace. */
export type ViewState = {
  /** Span id, '' for none. */
  span: string
  view: View
  q: string
  window: Window | undefined
  colour: 'project' | 'op'
  clocks: Clocks
}

const numberOf = (text: string | null): number | undefined =>
  text !== null && /^-?\d{1,15}$/.test(text) ? Number(text) : undefined

/** Reads the query string of a link. What is wrong there is left out. */
export function readState(params: URLSearchParams): ViewState {
  const view = views.find((name) => name === params.get('view')) ?? 'waterfall'
  const [fromUs, toUs] = [numberOf(params.get('from')), numberOf(params.get('to'))]
  const span = params.get('span') ?? ''
  return {
    span: /^[0-9a-f]{16}$/.test(span) ? span : '',
    view,
    q: (params.get('q') ?? '').slice(0, 500),
    window: fromUs !== undefined && toUs !== undefined && fromUs < toUs ? { fromUs, toUs } : undefined,
    colour: params.get('colour') === 'op' ? 'op' : 'project',
    clocks: params.get('clocks') === 'recorded' ? 'recorded' : 'corrected',
  }
}

/** The query string of a link, '' or with `?`. Defaults are left out. */
export function stateQuery({ span, view, q, window, colour, clocks }: ViewState): string {
  const params = new URLSearchParams()
  if (span) params.set('span', span)
  if (view !== 'waterfall') params.set('view', view)
  if (q) params.set('q', q)
  if (window) {
    params.set('from', String(Math.round(window.fromUs)))
    params.set('to', String(Math.round(window.toUs)))
  }
  if (colour !== 'project') params.set('colour', colour)
  if (clocks !== 'corrected') params.set('clocks', clocks)
  const text = params.toString()
  return text ? `?${text}` : ''
}
