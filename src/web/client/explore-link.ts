/** The scope of a page, as in its URL. */
type PageScope = {
  project: string
  env: string
  range: { kind: 'relative'; period: string } | { kind: 'absolute'; fromMs: number; toMs: number }
}

/**
 * The address of the page Explore with the search and the scope of another page: `/o/acme/explore?dataset=spans&q=...`.
 * `dataset`: errors, spans, logs or metrics. `rows`: the rows themselves instead of their number over time.
 */
export function exploreHref(
  organization: string,
  dataset: string,
  query: string,
  { project, env, range }: PageScope,
  rows = false,
): string {
  const search = new URLSearchParams(rows ? { mode: 'rows' } : {})
  if (dataset !== 'errors') search.set('dataset', dataset)
  if (query !== '') search.set('q', query)
  if (project !== '') search.set('project', project)
  if (env !== '') search.set('env', env)
  if (range.kind === 'relative') search.set('t', range.period)
  else {
    search.set('from', new Date(range.fromMs).toISOString())
    search.set('to', new Date(range.toMs).toISOString())
  }
  return `/o/${organization}/explore?${search}`
}
