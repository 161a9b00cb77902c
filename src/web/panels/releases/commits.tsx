import { useTranslations } from 'next-intl'
import type { RestCommit, RestCommitFile } from '../../../contract/commits.ts'
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

/** Commits of a release, newest first, with full messages and files. */
export function Commits({ commits, files }: { commits: readonly RestCommit[]; files: readonly RestCommitFile[] }) {
  const filesOf = Map.groupBy(files, (file) => file.commitId)
  return (
    <ol className="commits">
      {commits.map((commit) => {
        const body = commit.message?.split('\n').slice(1).join('\n').trim() ?? ''
        return (
          <li key={`${commit.repository.id}:${commit.id}`}>
            <div className="commit-head">
              <CommitName commit={commit} />
              <Time at={commit.dateCreated} className="text-ink-3 whitespace-nowrap" />
            </div>
            {body ? (
              <p className="commit-message">
                <PlainText text={body} charactersMax={2000} />
              </p>
            ) : null}
            <Files commit={commit} files={filesOf.get(commit.id) ?? []} />
          </li>
        )
      })}
    </ol>
  )
}
