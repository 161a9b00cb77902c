import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { readableProjects } from '../../../../../auth/allowed-projects.ts'
import {
  listMetrics,
  type MetricRequest,
  type MetricsView,
  metricDetails,
  metricsPerPage,
} from '../../../../../query/metrics/metrics.ts'
import { namedProjects } from '../../../../../query/named-projects.ts'
import { rangeOf } from '../../../../../query/range.ts'
import { defaultProjects } from '../../../../../query/self-project.ts'
import type { Project } from '../../../../../store/meta/meta.ts'
import { dsnOf } from '../../../../../wire/dsn.ts'
import { app } from '../../../../handle.ts'
import { Folded } from '../../../../panels/metrics/folded.tsx'
import { MetricsScreen } from '../../../../panels/metrics/metrics-screen.tsx'
import { type MetricTarget, NoMatches, NoMetrics } from '../../../../panels/metrics/no-metrics.tsx'
import { isPlain, type MetricParams, metricParams } from '../../../../panels/metrics/params.ts'
import { projectIdsOf } from '../../../../panels/search/list-params.ts'
import { environmentsOf } from '../../../../panels/search/load-environments.ts'
import { demandOrganization } from '../../../../server/session.ts'
import { codeOf, unlessAway } from '../../../../server/unless-away.ts'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('metrics'))('title') }
}

type Answer = Pick<Parameters<typeof MetricsScreen>[0], 'found' | 'details' | 'failed'>

/** The open metric of the address. */
const requestOf = ({ name, aggregate, by, where, bucketMs, group }: MetricParams): MetricRequest => ({
  name,
  aggregate,
  by: by || undefined,
  where,
  bucket: bucketMs === undefined ? undefined : { startMs: bucketMs, group },
})

/** The list and the open metric, or why there is none. Unexpected errors go to the error screen. */
async function answered(view: MetricsView, params: MetricParams): Promise<Answer> {
  try {
    const [found, details] = await Promise.all([
      listMetrics(app(), view, { text: params.q, order: params.sort, offset: params.at }),
      params.name === '' ? undefined : metricDetails(app(), view, requestOf(params)),
    ])
    return { found, details, failed: undefined }
  } catch (error) {
    const code = codeOf(error) ?? ''
    if (code !== 'STORE_UNAVAILABLE' && code !== 'QUERY_TIMEOUT') throw error
    const t = await getTranslations('performance.failed')
    const kind = code === 'QUERY_TIMEOUT' ? 'late' : 'away'
    return { found: undefined, details: undefined, failed: { message: t(kind), todo: t(`${kind}Todo`), code } }
  }
}

/** Where a project's metrics go, for the snippets of the empty screen. */
async function targetOf(project: Project | undefined): Promise<MetricTarget | undefined> {
  const [key] = project ? await app().meta.projects.keysOf(project.id) : []
  if (!project || !key) return undefined
  const { url } = app().config
  return {
    dsn: dsnOf(url, key),
    endpoint: `${url}/api/${project.id}/integration/otlp/v1/metrics`,
    key: key.publicKey,
  }
}

/** The metrics of an organization. The state of the screen is in the query string. */
export default async function MetricsPage({
  params,
  searchParams,
}: {
  params: Promise<{ org: string }>
  searchParams: Promise<Record<string, string | string[]>>
}) {
  const { org } = await params
  const search = new URLSearchParams(
    Object.entries(await searchParams).map(([key, value]): [string, string] => [key, String(value)]),
  )
  const { actor, organization } = await demandOrganization(org, `/o/${org}/metrics${search.size ? `?${search}` : ''}`)
  const { clock, meta } = app()
  const projects = await readableProjects(app(), actor, organization)
  const names = projects.map(({ id, slug, name }) => ({ id: String(id), slug, name }))
  const requested = metricParams(search)
  const projectIds = projectIdsOf(requested.project, names)
  const chosen = projectIds.length
    ? ((await namedProjects(meta, organization.id, projects, projectIds)) ?? [])
    : await defaultProjects(meta, organization.id, projects)
  const { range: shown } = requested
  const range = rangeOf(
    shown.kind === 'relative'
      ? { statsPeriod: shown.period }
      : { start: new Date(shown.fromMs).toISOString(), end: new Date(shown.toMs).toISOString() },
    clock.now(),
  )
  const view = { projects: chosen, environments: requested.env.split(',').filter((part) => part !== ''), range }
  const [answer, environments] = await Promise.all([answered(view, requested), unlessAway(environmentsOf(projects))])
  const { slug } = organization
  return (
    <MetricsScreen
      organization={slug}
      params={requested}
      range={{ fromMs: range.fromMs, toMs: range.toMs }}
      projects={names}
      environments={environments}
      pageRows={metricsPerPage}
      folded={<Folded organization={slug} folded={answer.found?.folded ?? []} details={answer.details} />}
      {...answer}
    >
      {isPlain(requested) ? (
        <NoMetrics organization={slug} target={await targetOf(chosen[0])} />
      ) : (
        <NoMatches base={`/o/${slug}/metrics`} params={requested} search={search.toString()} />
      )}
    </MetricsScreen>
  )
}
