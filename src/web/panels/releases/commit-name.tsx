import { useTranslations } from 'next-intl'
import type { RestCommit } from '../../../contract/commits.ts'
import { safeHref } from '../../text.ts'
import { PlainText } from '../../ui/plain-text.tsx'

/** The URL of a commit at its repository. Undefined without a safe http(s) URL and a valid commit id. */
export function commitHref({ id, repository }: Pick<RestCommit, 'id' | 'repository'>): string | undefined {
  const url = safeHref(repository.url)
  if (!url?.startsWith('http') || !/^[0-9a-f]{7,64}$/i.test(id)) return undefined
  return `${url.replace(/(\.git)?\/*$/, '')}/commit/${id}`
}

/** A commit on one line: first line of its message, author, short id. */
export function CommitName({ commit }: { commit: RestCommit }) {
  const t = useTranslations('releases.page')
  const { message, author, repository, id } = commit
  const href = commitHref(commit)
  const short = (
    <code>
      <PlainText text={id.slice(0, 12)} charactersMax={12} />
    </code>
  )
  return (
    <p className="commit-name">
      {message === null ? (
        <span className="text-ink-3">{t('noMessage')}</span>
      ) : (
        <b>
          <PlainText text={message.split('\n', 1)[0] ?? ''} charactersMax={200} />
        </b>
      )}{' '}
      {href ? (
        <a className="link" href={href} rel="noreferrer noopener nofollow" target="_blank">
          {short}
        </a>
      ) : (
        short
      )}{' '}
      <span className="text-ink-3">
        {author ? <PlainText text={author.name || author.email} charactersMax={80} /> : null}{' '}
        <PlainText text={repository.name} charactersMax={100} />
      </span>
    </p>
  )
}
