import { getTranslations } from 'next-intl/server'
import { Suspense } from 'react'
import { type CommitIssues, commitIssues } from '../../../../../../query/release-commits.ts'
import { releasePath } from '../../../../../client/release-path.ts'
import { app } from '../../../../../handle.ts'
import { Commits } from '../../../../../panels/releases/commits.tsx'
import { commitsMax, type LoadedRelease, type ReleaseHere } from '../../../../../panels/releases/load-release.ts'
import { Commands, cli, cliEnvironment } from '../../../../../panels/releases/no-releases.tsx'
import { unlessAway } from '../../../../../server/unless-away.ts'
import { Link } from '../../../../../ui/link.tsx'
import { Section } from '../../../../../ui/section.tsx'

type PartProps = { here: ReleaseHere; loaded: LoadedRelease }

/** New, regressed and escalating issues whose suspect commits are searched. */
const suspectedMax = 10

/** Commits with the issues that they may have caused or resolve. Streams in, because it reads an event of each issue. */
async function NamedCommits({ here, loaded }: PartProps) {
  const rows = [...(loaded.newIssues?.rows ?? []), ...(loaded.changedIssues?.rows ?? [])]
  const { rows: commits } = loaded.commits
  const issues = await unlessAway(
    commitIssues(app(), {
      organization: here.organization,
      projects: loaded.projects,
      commits,
      issueIds: [...new Set(rows.map((row) => Number(row.id)))].slice(0, suspectedMax),
    }),
  )
  return <List here={here} loaded={loaded} issues={issues} />
}

function List({ here, loaded, issues }: PartProps & { issues: Map<string, CommitIssues> | undefined }) {
  return (
    <Commits
      organization={here.organization.slug}
      commits={loaded.commits.rows}
      files={loaded.files}
      issues={issues ?? new Map()}
    />
  )
}

/** The commits by page, or the command that adds them. */
export async function CommitPart({ here, loaded }: PartProps) {
  const t = await getTranslations('releases')
  const { organization, release } = here
  const { rows, more, offset } = loaded.commits
  const path = releasePath(organization.slug, release.version)
  const project = release.projects[0]?.slug ?? ''
  const quoted = `'${release.version.replaceAll("'", `'\\''`)}'`
  return (
    <Section id="commits" title={t('commits')} note={release.commitCount}>
      {rows.length === 0 && offset === 0 ? (
        <>
          <p className="mb-2 text-ink-2">{t('page.commitsNone')}</p>
          <Commands
            label={t('commits')}
            lines={[cliEnvironment(organization.slug, project), `${cli()} releases set-commits ${quoted} --auto`]}
          />
        </>
      ) : (
        <Suspense fallback={<List here={here} loaded={loaded} issues={undefined} />}>
          <NamedCommits here={here} loaded={loaded} />
        </Suspense>
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
