import '../../../../../styles/issues.css'
import '../../../../../styles/releases.css'
import type { Metadata } from 'next'
import { getLocale, getTranslations } from 'next-intl/server'
import { Suspense } from 'react'
import type { Project } from '../../../../../../store/meta/meta.ts'
import { releasePath } from '../../../../../client/release-path.ts'
import { app } from '../../../../../handle.ts'
import { HealthPart } from '../../../../../panels/release-health/panel.tsx'
import { Commits } from '../../../../../panels/releases/commits.tsx'
import { Deploys } from '../../../../../panels/releases/deploys.tsx'
import {
  commitsMax,
  demandRelease,
  type LoadedRelease,
  loadRelease,
  type ReleaseHere,
} from '../../../../../panels/releases/load-release.ts'
import { Commands, cli, cliEnvironment } from '../../../../../panels/releases/no-releases.tsx'
import { type Search, versionTerm } from '../../../../../panels/releases/params.ts'
import { ReleaseIssues } from '../../../../../panels/releases/release-issues.tsx'
import { ReleaseRange } from '../../../../../panels/releases/release-range.tsx'
import { SkewPart } from '../../../../../panels/releases/skew-part.tsx'
import { ReleaseVerdict } from '../../../../../panels/source-maps/verdict.tsx'
import { unlessAway } from '../../../../../server/unless-away.ts'
import { Chart } from '../../../../../ui/chart/chart.tsx'
import { Link } from '../../../../../ui/link.tsx'
import { Section } from '../../../../../ui/section.tsx'
import { Artifacts, bundlesOf } from './artifacts.tsx'
import { ChangeRelease } from './change.tsx'
import { ReleaseHead } from './head.tsx'

type Props = { params: Promise<{ org: string; version: string }>; searchParams: Promise<Search> }

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { org, version } = await params
  const { release } = await demandRelease(org, version)
  return { title: release.version.slice(0, 120) }
}

/** The release's events over time with its deploys, and their share of all events. */
async function Stats({ here, loaded }: { here: ReleaseHere; loaded: LoadedRelease }) {
  const t = await getTranslations('releases')
  const locale = await getLocale()
  const { events, points, annotations, asked } = loaded
  const share = events && events.all > 0 ? events.own / events.all : 0
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumSignificantDigits: 2 }).format(share)
  return (
    <section className="release-figures" aria-label={t('page.chart')}>
      <div className="release-figures-head">
        {events ? (
          <p>
            <b>{t('page.events', { count: events.own })}</b>
            {events.own > 0 ? <span className="text-ink-3"> · {t('share', { percent })}</span> : null}
          </p>
        ) : null}
        <ReleaseRange range={asked} />
      </div>
      {points ? (
        <Chart organization={here.organization.slug} points={points} annotations={annotations} />
      ) : (
        <p className="stream-away">{t('away')}</p>
      )}
    </section>
  )
}

/** The issues that name the release in `field`. */
async function Issues({
  here,
  loaded,
  field,
}: {
  here: ReleaseHere
  loaded: LoadedRelease
  field: 'release' | 'firstRelease'
}) {
  const t = await getTranslations('releases.page')
  const base = `/o/${here.organization.slug}`
  const found = field === 'release' ? loaded.allIssues : loaded.newIssues
  const label = t(field === 'release' ? 'allIssues' : 'newIssues')
  const query = encodeURIComponent(versionTerm(field, here.release.version))
  return (
    <Section title={label} note={found ? found.hits : null}>
      {found === undefined ? (
        <p className="text-ink-2">{t('issuesAway')}</p>
      ) : found.rows.length === 0 ? (
        <p className="text-ink-2">{t(field === 'release' ? 'allIssuesNone' : 'newIssuesNone')}</p>
      ) : (
        <ReleaseIssues
          base={base}
          label={label}
          rows={found.rows}
          hits={found.hits}
          streamPath={`${base}/issues?q=${query}&t=90d`}
        />
      )}
    </Section>
  )
}

/** The commits by page, or the command that adds them. */
async function CommitPart({ here, loaded }: { here: ReleaseHere; loaded: LoadedRelease }) {
  const t = await getTranslations('releases')
  const { organization, release } = here
  const { rows, more, offset } = loaded.commits
  const path = releasePath(organization.slug, release.version)
  const project = release.projects[0]?.slug ?? ''
  const quoted = `'${release.version.replaceAll("'", `'\\''`)}'`
  return (
    <Section title={t('commits')} note={release.commitCount}>
      {rows.length === 0 && offset === 0 ? (
        <>
          <p className="mb-2 text-ink-2">{t('page.commitsNone')}</p>
          <Commands
            label={t('commits')}
            lines={[cliEnvironment(organization.slug, project), `${cli()} releases set-commits ${quoted} --auto`]}
          />
        </>
      ) : (
        <Commits commits={rows} files={loaded.files} />
      )}
      <nav className="mt-2 flex gap-4">
        {offset > 0 ? (
          <Link className="link" href={path}>
            {t('page.commitsNewest')}
          </Link>
        ) : null}
        {more ? (
          <Link className="link" href={`${path}?commits=${offset + commitsMax}`}>
            {t('page.commitsMore')}
          </Link>
        ) : null}
      </nav>
    </Section>
  )
}

/** The doctor's diagnosis of a release in one project. Streams in, because it reads source maps. */
async function Check({ here: { actor, organization, release }, project }: { here: ReleaseHere; project: Project }) {
  const { auth, doctor } = app()
  const t = await getTranslations('releases')
  const mayReadEvents = auth.may(actor, 'event:read', { organization, project }) === 'yes'
  const check = { release: release.version, dist: undefined, mayReadEvents }
  const diagnosis = await unlessAway(doctor.ofRelease({ organization, project, others: [] }, check))
  return diagnosis ? <ReleaseVerdict diagnosis={diagnosis} /> : <p className="stream-away">{t('away')}</p>
}

/** Maximum projects that the doctor checks automatically: it reads the source maps of each. */
const checkedMax = 3

/** The doctor's diagnosis for each project with bundles of the release. */
async function Verdicts({ here, projects }: { here: ReleaseHere; projects: Project[] }) {
  const t = await getTranslations('sources')
  return projects.slice(0, checkedMax).map((project) => (
    <div key={project.id} className="mb-4">
      {projects.length > 1 ? <h3 className="mb-1 text-ink-2">{project.slug}</h3> : null}
      <Suspense fallback={<p className="text-ink-3">{t('checking')}</p>}>
        <Check here={here} project={project} />
      </Suspense>
    </div>
  ))
}

/** Deploys and source maps of a release, or the commands that add them. */
async function Shipped({ here, loaded }: { here: ReleaseHere; loaded: LoadedRelease }) {
  const t = await getTranslations('releases')
  const { organization, release } = here
  const project = release.projects[0]?.slug ?? ''
  const quoted = `'${release.version.replaceAll("'", `'\\''`)}'`
  const environment = cliEnvironment(organization.slug, project)
  const bundles = bundlesOf(loaded.projects, release.version)
  return (
    <>
      <Section title={t('deploys')} note={release.deployCount}>
        {loaded.deploys.rows.length > 0 ? (
          <Deploys deploys={loaded.deploys.rows} />
        ) : (
          <>
            <p className="mb-2 text-ink-2">{t('page.deploysNone')}</p>
            <Commands
              label={t('deploys')}
              lines={[environment, `${cli()} deploys new --release ${quoted} --env production`]}
            />
          </>
        )}
      </Section>
      <Section title={t('artifacts')} note={release.bundleCount}>
        {bundles.rows.length > 0 ? (
          <Artifacts
            base={`/o/${organization.slug}`}
            bundles={bundles.rows}
            more={bundles.more}
            verdict={<Verdicts here={here} projects={[...new Set(bundles.rows.map((row) => row.project))]} />}
          />
        ) : (
          <>
            <p className="mb-2 text-ink-2">{t('page.artifactsNone')}</p>
            <Commands
              label={t('artifacts')}
              lines={[environment, `${cli()} sourcemaps upload --release ${quoted} ./dist`]}
            />
          </>
        )}
      </Section>
    </>
  )
}

/** A release's page: overview, effects, contents, deploys. */
export default async function ReleasePage({ params, searchParams }: Props) {
  const { org, version: part } = await params
  const here = await demandRelease(org, part)
  const loaded = await loadRelease(here, await searchParams)
  const { actor, organization, release } = here
  const { auth } = app()
  const t = await getTranslations('releases.page')
  const mayChange = loaded.projects.some(
    (project) => auth.may(actor, 'release:write', { organization, project }) === 'yes',
  )
  return (
    <div className="page">
      <ReleaseHead base={`/o/${organization.slug}`} release={release} />
      <HealthPart version={release.version} projects={loaded.projects} />
      <Stats here={here} loaded={loaded} />
      <Issues here={here} loaded={loaded} field="firstRelease" />
      <Issues here={here} loaded={loaded} field="release" />
      <SkewPart here={here} projects={loaded.projects} />
      <CommitPart here={here} loaded={loaded} />
      <Shipped here={here} loaded={loaded} />
      <Section title={t('change')}>
        <ChangeRelease
          organization={organization.slug}
          version={release.version}
          releasedAt={release.dateReleased}
          status={release.status}
          mayChange={mayChange}
        />
      </Section>
    </div>
  )
}
