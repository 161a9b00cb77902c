import { ChevronLeft } from 'lucide-react'
import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { Suspense } from 'react'
import { allowedProjects, readableProjects } from '../../../../../../auth/allowed-projects.ts'
import { versionInfo } from '../../../../../../domain/release-order.ts'
import type { Organization, Project } from '../../../../../../store/meta/meta.ts'
import { app } from '../../../../../handle.ts'
import { chosenVersions } from '../../../../../panels/release-compare/chosen.ts'
import { CompareScope } from '../../../../../panels/release-compare/compare-scope.tsx'
import { Comparison } from '../../../../../panels/release-compare/comparison.tsx'
import { loadComparison, versionsOf } from '../../../../../panels/release-compare/load.ts'
import { environmentsOf } from '../../../../../panels/search/load-environments.ts'
import { demandOrganization } from '../../../../../server/session.ts'
import { unlessAway } from '../../../../../server/unless-away.ts'
import { Link } from '../../../../../ui/link.tsx'
import { PlainText } from '../../../../../ui/plain-text.tsx'
import { EmptyState } from '../../../../../ui/states.tsx'

type Search = Record<string, string | string[] | undefined>

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('compare'))('title') }
}

const single = (value: string | string[] | undefined): string =>
  typeof value === 'string' ? value.trim().slice(0, 200) : ''

/** The projects whose releases and events the person may read, without Mishap's own unless a release names it. */
async function demandProjects(org: string, search: Search) {
  const query = new URLSearchParams(
    Object.entries(search).flatMap(([key, value]): [string, string][] =>
      typeof value === 'string' ? [[key, value]] : [],
    ),
  )
  const { actor, organization } = await demandOrganization(org, `/o/${org}/releases/compare?${query}`)
  const readable = await readableProjects(app(), actor, organization)
  const projects = (await allowedProjects(app(), actor, organization, 'release:read')).filter((project) =>
    readable.some(({ id }) => id === project.id),
  )
  return { organization, projects, readable }
}

type PartProps = {
  organization: Organization
  projects: Project[]
  /** All that the person may read, in the order of the sidebar. */
  readable: readonly Project[]
  a: string
  b: string
  environments: string[]
}

/** The comparison. Streams in, because it reads all events of both releases. */
async function Part({ organization, projects, readable, a, b, environments }: PartProps) {
  const t = await getTranslations('compare')
  const compared = await loadComparison({ organization, projects, environments, a, b })
  if (compared === 'away')
    return (
      <p role="status" className="page">
        {t('away')}
      </p>
    )
  if (compared === 'missing') {
    const known = new Set(await versionsOf(projects))
    const version = [a, b].find((candidate) => !known.has(candidate)) ?? b
    return (
      <p role="status" className="page">
        <PlainText text={t('unknown', { version })} charactersMax={300} />
      </p>
    )
  }
  const places = Object.fromEntries(readable.map(({ slug }, at) => [slug, at]))
  return <Comparison organization={organization.slug} compared={compared} places={places} />
}

/** Compares two releases: ?a= is the release before, ?b= the release after. */
export default async function ComparePage({
  params,
  searchParams,
}: {
  params: Promise<{ org: string }>
  searchParams: Promise<Search>
}) {
  const { org } = await params
  const search = await searchParams
  const { organization, projects, readable } = await demandProjects(org, search)
  const t = await getTranslations('compare')
  const versions = await versionsOf(projects)
  const { a, b } = chosenVersions(versions, { a: single(search.a), b: single(search.b) })
  const env = single(search.env)
  const environments = await unlessAway(environmentsOf(projects))
  const short = (version: string) => versionInfo(version).description
  const base = `/o/${organization.slug}/releases`
  return (
    <div className="compare">
      <header className="compare-bar">
        <Link href={base} className="compare-back">
          <ChevronLeft size={14} strokeWidth={1.75} aria-hidden="true" /> {t('back')}
        </Link>
        <h1>
          {a && b ? <PlainText text={t('heading', { a: short(a), b: short(b) })} charactersMax={120} /> : t('title')}
        </h1>
        <CompareScope
          organization={organization.slug}
          params={{ a, b, env }}
          versions={versions}
          environments={environments}
        />
      </header>
      {a && b ? (
        <Suspense key={`${a} ${b} ${env}`} fallback={<p className="page text-ink-3">{t('loading')}</p>}>
          <Part
            organization={organization}
            projects={projects}
            readable={readable}
            a={a}
            b={b}
            environments={env.split(',').filter((part) => part !== '')}
          />
        </Suspense>
      ) : (
        <EmptyState title={t('none')}>
          <p>{t('noneTodo')}</p>
        </EmptyState>
      )}
    </div>
  )
}
