import { useTranslations } from 'next-intl'
import type { RestCommit, RestCommitFile } from '../../../contract/commits.ts'
import type { CommitIssues } from '../../../query/release-commits.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { Time } from '../../ui/time.tsx'
import { CommitName } from './commit-name.tsx'

const filesShown = 200

/** The files that a commit changed, collapsed. */
function Files({ commit, files }: { commit: RestCommit; files: readonly RestCommitFile[] }) {
  const t = useTranslations('releases.page')
  const count = commit.fileCount + commit.filesOmitted
  if (count === 0) return null
  const shown = files.slice(0, filesShown)
  return (
    <details className="fold">
      <summary>{t('filesOf', { count })}</summary>
      <ul className="commit-files">
        {shown.map((shownCommit) => (
          <li key={shownCommit.id}>
            <code>
              <PlainText text={shownCommit.filename} charactersMax={300} />
            </code>{' '}
            <span className="text-ink-3">{t(shownCommit.type)}</span>
          </li>
        ))}
        {shown.length < count ? (
          <li className="text-ink-3">{t('filesMore', { count: count - shown.length })}</li>
        ) : null}
      </ul>
    </details>
  )
}

/** The issues that a commit may have caused, and those that it resolves. */
function CommitEffects({ organization, issues }: { organization: string; issues: CommitIssues | undefined }) {
  const t = useTranslations('compare')
  if (!issues || issues.suspectOf.length + issues.resolves.length === 0) return null
  return (
    <p className="commit-effects">
      {issues.suspectOf.length > 0 ? (
        <span className="text-warning">
          {t('suspectOf')}{' '}
          {issues.suspectOf.map(({ id, shortId }, at) => (
            <span key={id}>
              {at > 0 ? ', ' : ''}
              <Link className="link" href={`/o/${organization}/issues/${id}`}>
                {shortId}
              </Link>
            </span>
          ))}
        </span>
      ) : null}
      {issues.resolves.length > 0 ? (
        <span className="text-ok">
          <PlainText text={t('resolves', { issue: issues.resolves.join(', ') })} charactersMax={200} />
        </span>
      ) : null}
    </p>
  )
}

/** Commits of a release, newest first, with full messages and files. `issues`: by commit id. */
export function Commits({
  organization,
  commits,
  files,
  issues,
}: {
  organization: string
  commits: readonly RestCommit[]
  files: readonly RestCommitFile[]
  issues: ReadonlyMap<string, CommitIssues>
}) {
  const filesOf = Map.groupBy(files, (file) => file.commitId)
  return (
    <ol className="commits">
      {commits.map((commit) => {
        const body = commit.message?.split('\n').slice(1).join('\n').trim() ?? ''
        return (
          <li key={`${commit.repository.id}:${commit.id}`}>
            <Avatar name={commit.author?.name || commit.author?.email} />
            <div className="min-w-0">
              <div className="commit-head">
                <CommitName commit={commit} />
                <Time at={commit.dateCreated} className="text-ink-3 whitespace-nowrap" />
              </div>
              <CommitEffects organization={organization} issues={issues.get(commit.id)} />
              {body ? (
                <p className="commit-message">
                  <PlainText text={body} charactersMax={2000} />
                </p>
              ) : null}
              <Files commit={commit} files={filesOf.get(commit.id) ?? []} />
            </div>
          </li>
        )
      })}
    </ol>
  )
}
