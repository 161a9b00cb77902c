import { ChevronLeft } from 'lucide-react'
import { useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import type { RestRelease } from '../../../../../../contract/releases.ts'
import { safeHref } from '../../../../../text.ts'
import { CopyButton } from '../../../../../ui/copy/copy-button.tsx'
import { Link } from '../../../../../ui/link.tsx'
import { PlainText } from '../../../../../ui/plain-text.tsx'
import { Rail } from '../../../../../ui/rail.tsx'
import { Time } from '../../../../../ui/time.tsx'

const namesMax = 8
/** Projects named in the title bar. */
const projectsShown = 3

/** Names on one line; further names are a number. */
function Names({ names }: { names: readonly string[] }) {
  return (
    <>
      <PlainText text={names.slice(0, namesMax).join(', ')} charactersMax={400} />
      {names.length > namesMax ? ` +${names.length - namesMax}` : ''}
    </>
  )
}

function detailsOf(
  release: RestRelease,
  base: string,
  t: ReturnType<typeof useTranslations<'releases'>>,
): [string, ReactNode][] {
  const { url, ref, refs, firstEvent, lastEvent, authors, environments, projects } = release
  const href = safeHref(url)
  const details: [string, ReactNode][] = [
    [
      t('projects'),
      projects.slice(0, namesMax).map((project, index) => (
        <span key={project.id}>
          {index > 0 ? ', ' : ''}
          <Link className="link" href={`${base}/issues?project=${project.slug}`}>
            <PlainText text={project.name} charactersMax={64} />
          </Link>
        </span>
      )),
    ],
    [t('made'), <Time key="at" at={release.dateCreated} />],
    [
      t('released'),
      release.dateReleased === null ? (
        <span key="not" className="text-ink-3">
          {t('notReleased')}
        </span>
      ) : (
        <Time key="at" at={release.dateReleased} />
      ),
    ],
  ]
  if (release.status === 'archived') details.push([t('page.status'), t('statusArchived')])
  if (firstEvent) details.push([t('page.firstEvent'), <Time key="at" at={firstEvent} />])
  if (lastEvent) details.push([t('page.lastEvent'), <Time key="at" at={lastEvent} />])
  if (environments.length > 0) details.push([t('page.environments'), <Names key="names" names={environments} />])
  if (authors.length > 0)
    details.push([
      t('page.authors'),
      <Names key="names" names={authors.map((author) => author.name || author.email)} />,
    ])
  if (ref) details.push([t('page.ref'), <PlainText key="ref" text={ref} charactersMax={250} />])
  if (refs.length > 0)
    details.push([
      t('page.refs'),
      <Names
        key="names"
        names={refs.map((releaseRef) => `${releaseRef.repository} ${releaseRef.commit.slice(0, 12)}`)}
      />,
    ])
  if (url)
    details.push([
      t('page.url'),
      href ? (
        <a key="url" className="link break-all" href={href} rel="noreferrer noopener nofollow" target="_blank">
          <PlainText text={url} charactersMax={200} />
        </a>
      ) : (
        <PlainText key="url" text={url} charactersMax={200} />
      ),
    ])
  return details
}

/** Dates, authors and contents of the release. */
export function ReleaseDetails({ base, release }: { base: string; release: RestRelease }) {
  const t = useTranslations('releases')
  return (
    <dl className="release-facts">
      {detailsOf(release, base, t).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** The title bar: the way back, the version with its projects, and the scope. */
export function ReleaseHead({
  base,
  release,
  places,
  children,
}: {
  base: string
  release: RestRelease
  /** The place of each project in the organization, by slug. */
  places: Readonly<Record<string, number>>
  /** The scope. */
  children: ReactNode
}) {
  const t = useTranslations('releases')
  const { version, versionInfo, projects } = release
  const short = versionInfo.description
  return (
    <header className="compare-bar">
      <Link href={`${base}/releases`} className="compare-back">
        <ChevronLeft size={14} strokeWidth={1.75} aria-hidden="true" /> {t('title')}
      </Link>
      <h1>
        <PlainText text={short} charactersMax={200} />
      </h1>
      {projects.slice(0, projectsShown).map(({ slug }) => (
        <span key={slug} className="release-project">
          <Rail place={places[slug] ?? 0} />
          <PlainText text={slug} charactersMax={40} />
        </span>
      ))}
      {projects.length > projectsShown ? <span className="text-ink-3">+{projects.length - projectsShown}</span> : null}
      <span className="release-whole">
        {short === version ? null : (
          <code>
            <PlainText text={version} charactersMax={250} />
          </code>
        )}
        <CopyButton text={version} label={t('page.copyVersion')} iconOnly />
      </span>
      {children}
    </header>
  )
}
