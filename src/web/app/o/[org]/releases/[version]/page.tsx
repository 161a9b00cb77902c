import '../../../../../styles/issues.css'
import '../../../../../styles/releases.css'
import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { Suspense } from 'react'
import { readableProjects } from '../../../../../../auth/allowed-projects.ts'
import { someAsync } from '../../../../../../base/sequence.ts'
import { app } from '../../../../../handle.ts'
import { chosenVersions } from '../../../../../panels/release-compare/chosen.ts'
import { ReleaseScope } from '../../../../../panels/release-compare/compare-scope.tsx'
import { judgeRelease, type ReleaseJudgement, versionsOf } from '../../../../../panels/release-compare/load.ts'
import { SessionsPart } from '../../../../../panels/release-health/panel.tsx'
import {
  demandRelease,
  type LoadedRelease,
  loadRelease,
  type ReleaseHere,
} from '../../../../../panels/releases/load-release.ts'
import type { Search } from '../../../../../panels/releases/params.ts'
import { SkewPart } from '../../../../../panels/releases/skew-part.tsx'
import { Chart } from '../../../../../ui/chart/chart.tsx'
import { Section } from '../../../../../ui/section.tsx'
import { AdoptionPart } from './adoption-part.tsx'
import { ChangeRelease } from './change.tsx'
import { CommitPart } from './commit-part.tsx'
import { ReleaseDetails, ReleaseHead } from './head.tsx'
import { IssuePart } from './issue-part.tsx'
import { FactsPart, GonePart, VerdictPart } from './judgement.tsx'
import { DeployPart, SourceMapPart } from './shipped.tsx'

type Props = { params: Promise<{ org: string; version: string }>; searchParams: Promise<Search> }

type PartProps = {
  here: ReleaseHere
  loaded: LoadedRelease
  judged: Promise<ReleaseJudgement | 'away'>
  places: Readonly<Record<string, number>>
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { org, version } = await params
  const { release } = await demandRelease(org, version)
  return { title: release.version.slice(0, 120) }
}

/** The release's events over time with its deploys. */
async function EventPart({ here, loaded }: { here: ReleaseHere; loaded: LoadedRelease }) {
  const t = await getTranslations('releases')
  const { points, annotations, events } = loaded
  return (
    <Section title={t('page.chart')} note={events ? t('page.events', { count: events.own }) : null}>
      {points ? (
        <Chart organization={here.organization.slug} points={points} annotations={annotations} />
      ) : (
        <p className="stream-away">{t('away')}</p>
      )}
    </Section>
  )
}

/** The sections of the page, as links. */
async function Sections({ here, loaded }: { here: ReleaseHere; loaded: LoadedRelease }) {
  const t = await getTranslations('compare.nav')
  const links = [
    ['issues-new', t('new'), loaded.newIssues?.hits],
    ['issues-changed', t('changed'), loaded.changedIssues?.hits],
    ['issues-all', t('all'), loaded.allIssues?.hits],
    ['commits', t('commits'), here.release.commitCount],
    ['sources', t('sources'), here.release.bundleCount],
    ['deploys', t('deploys'), here.release.deployCount],
    ['details', t('details'), null],
  ] as const
  return (
    <nav className="release-nav" aria-label={t('label')}>
      {links.map(([id, text, count]) => (
        <a key={id} href={`#${id}`}>
          {text} {count === null || count === undefined ? null : <span>{count}</span>}
        </a>
      ))}
    </nav>
  )
}

/** The left column: what changed, then what the release is. */
async function Left({ here, loaded, judged, places }: PartProps) {
  const t = await getTranslations('releases.page')
  const nav = await getTranslations('compare.nav')
  const { actor, organization, release } = here
  const { auth } = app()
  const mayChange = await someAsync(
    loaded.projects,
    async (project) => (await auth.may(actor, 'release:write', { organization, project })) === 'yes',
  )
  return (
    <div className="release-left">
      <IssuePart here={here} loaded={loaded} kind="new" places={places} />
      <IssuePart here={here} loaded={loaded} kind="changed" places={places} />
      <Suspense fallback={null}>
        <GonePart organization={organization.slug} places={places} judged={judged} />
        <AdoptionPart here={here} loaded={loaded} judged={judged} />
      </Suspense>
      <EventPart here={here} loaded={loaded} />
      <IssuePart here={here} loaded={loaded} kind="all" places={places} />
      <SkewPart here={here} projects={loaded.projects} />
      <DeployPart here={here} loaded={loaded} />
      <Section id="details" title={nav('details')}>
        <ReleaseDetails base={`/o/${organization.slug}`} release={release} />
        <Suspense fallback={null}>
          <SessionsPart judged={judged} />
        </Suspense>
      </Section>
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

/** The scope. Before the comparison is there, it shows the nearest earlier release. */
async function Scope({
  here: { organization, release },
  loaded,
  against,
  judged,
}: Pick<PartProps, 'here' | 'loaded'> & { against: string; judged: PartProps['judged'] | undefined }) {
  const found = await judged
  const versions = await versionsOf(loaded.projects)
  const { version } = release
  const { a } = chosenVersions(versions, { a: against, b: version })
  return (
    <ReleaseScope
      organization={organization.slug}
      params={{ version, env: loaded.environments.join(','), range: loaded.asked }}
      against={(found !== 'away' && found?.compared?.a.version) || a}
      versions={versions}
    />
  )
}

/** A release's page: the verdict first, then its issues, adoption, source maps and commits. */
export default async function ReleasePage({ params, searchParams }: Props) {
  const { org, version: part } = await params
  const search = await searchParams
  const here = await demandRelease(org, part)
  const loaded = await loadRelease(here, search)
  const { actor, organization, release } = here
  const { version } = release
  const base = `/o/${organization.slug}`
  const readable = await readableProjects(app(), actor, organization)
  const projects = loaded.projects.filter((project) => readable.some(({ id }) => id === project.id))
  const against = typeof search.against === 'string' ? search.against.slice(0, 200) : ''
  const judged = judgeRelease({ organization, projects, environments: loaded.environments, version, against })
  const places = Object.fromEntries(readable.map(({ slug }, at) => [slug, at]))
  const scope = { here, loaded, against }
  const facts = { release, events: loaded.events }
  return (
    <div className="release-page">
      <ReleaseHead base={base} release={release} places={places}>
        <Suspense fallback={<Scope {...scope} judged={undefined} />}>
          <Scope {...scope} judged={judged} />
        </Suspense>
      </ReleaseHead>
      <Suspense fallback={<div className="verdict verdict-waiting" aria-busy="true" />}>
        <VerdictPart base={base} version={version} judged={judged} />
      </Suspense>
      <Suspense fallback={<FactsPart {...facts} judged={undefined} />}>
        <FactsPart {...facts} judged={judged} />
      </Suspense>
      <Sections here={here} loaded={loaded} />
      <div className="release-two">
        <Left here={here} loaded={loaded} judged={judged} places={places} />
        <div className="release-right">
          <SourceMapPart here={here} loaded={loaded} />
          <CommitPart here={here} loaded={loaded} />
        </div>
      </div>
    </div>
  )
}
