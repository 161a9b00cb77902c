import './overview.css'
import { useTranslations } from 'next-intl'
import type { RestOverview } from '../../../contract/overview.ts'
import { Link } from '../../ui/link.tsx'
import { SeverityShape } from '../../ui/severity.tsx'
import { type ListParams, type ProjectName, viewSearchOf } from '../search/list-params.ts'
import { Against } from './against.tsx'
import { Decisions, type OverviewRights } from './decisions.tsx'
import { History } from './history.tsx'
import { NewIssues } from './new-issues.tsx'
import { ProjectsTable } from './projects-table.tsx'
import { OverviewScope } from './scope.tsx'
import { SlowestRoutes } from './slowest-routes.tsx'
import { Summary } from './summary.tsx'

type OverviewScreenProps = {
  organization: string
  overview: RestOverview
  params: Pick<ListParams, 'project' | 'env' | 'range'>
  /** All projects that the reader may read, in the order of the organization. */
  projects: readonly ProjectName[]
  environments: string[] | undefined
  rights: OverviewRights
}

/** Names the parts that failed. The rest of the page stays. */
function FailedParts({ failed }: { failed: RestOverview['failed'] }) {
  const t = useTranslations('overview.failed')
  if (failed.length === 0) return null
  return (
    <p role="status" className="overview-failed">
      <SeverityShape level="warning" label="" />
      <span>
        {t('sentence', { parts: failed.map(({ part }) => t(`parts.${part}`)).join(', ') })}{' '}
        <code>{[...new Set(failed.map(({ code }) => code))].join(', ')}</code>
      </span>
    </p>
  )
}

/** The length of a bar: every 6 hours. */
function BucketLength({ seconds }: { seconds: number }) {
  const t = useTranslations('overview.history')
  if (seconds % 86_400 === 0) return <span>{t('days', { count: seconds / 86_400 })}</span>
  if (seconds % 3600 === 0) return <span>{t('hours', { count: seconds / 3600 })}</span>
  return <span>{t('minutes', { count: Math.round(seconds / 60) })}</span>
}

/** The home page of an organization: what changed, and what waits for a decision. */
export function OverviewScreen(props: OverviewScreenProps) {
  const { organization, overview, params, projects, environments, rights } = props
  const t = useTranslations('overview')
  const places = Object.fromEntries(projects.map(({ slug }, at) => [slug, at]))
  const search = viewSearchOf(params)
  const inProjects = new URLSearchParams(search)
  if (params.project) inProjects.set('project', params.project)
  const open = overview.unresolved
  const decided = overview.failed.every(({ part }) => part !== 'issues' && part !== 'release' && part !== 'disk')
  return (
    <div className="overview">
      <header className="overview-bar">
        <h1>{t('title')}</h1>
        <OverviewScope organization={organization} params={params} projects={projects} environments={environments} />
      </header>
      <div className="overview-facts">
        <Summary overview={overview} />
        <Against overview={overview} />
      </div>
      <FailedParts failed={overview.failed} />
      <div className="overview-columns-two">
        <div className="overview-decide">
          <Decisions organization={organization} rights={rights} decisions={overview.decisions} isWhole={decided} />
        </div>
        <div className="overview-left">
          <section aria-labelledby="overview-history">
            <div className="overview-head">
              <h2 id="overview-history">{t('history.title')}</h2>
              <BucketLength seconds={overview.bucketSeconds} />
              <Link
                className="overview-more"
                href={`/o/${organization}/issues${inProjects.size > 0 ? `?${inProjects}` : ''}`}
              >
                {t('history.open')}
              </Link>
            </div>
            <History organization={organization} overview={overview} />
          </section>
          {overview.issues ? (
            <NewIssues
              organization={organization}
              issues={overview.issues}
              all={open.new + open.regressed + open.escalating}
              places={places}
              search={search}
            />
          ) : null}
          <ProjectsTable organization={organization} overview={overview} places={places} />
        </div>
        <div className="overview-right">
          <SlowestRoutes routes={overview.routes} places={places} />
        </div>
      </div>
    </div>
  )
}
