import { useTranslations } from 'next-intl'
import { app } from '../../handle.ts'
import { CopyButton } from '../../ui/copy/copy-button.tsx'
import { NoProject, RemovableFilter, RemovableScope } from '../../ui/empty-list.tsx'
import { buttonClass } from '../../ui/forms/controls.tsx'
import { Link } from '../../ui/link.tsx'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { changedSearch, type ReleaseParams } from './params.ts'

/** Commands with a copy button. */
export function Commands({ lines, label }: { lines: readonly string[]; label: string }) {
  const t = useTranslations('releases')
  const text = lines.join('\n')
  return (
    <div className="max-w-[100ch]">
      <ScrollBox label={label}>
        <pre className="border border-line p-3">{text}</pre>
      </ScrollBox>
      <p className="mt-2">
        <CopyButton text={text} label={t('copy')} />
      </p>
    </div>
  )
}

/** The sentry-cli command with the URL of this installation. */
export const cli = (): string => `npx @sentry/cli --url ${app().config.url}`

/** Shell variables with organization, project and token for the commands that follow. */
export const cliEnvironment = (organization: string, project: string): string =>
  `export SENTRY_ORG=${organization} SENTRY_PROJECT=${project} SENTRY_AUTH_TOKEN=…`

/** Shown without any release: explains how to create a release. */
export function NoReleases({ organization, project }: { organization: string; project: string | undefined }) {
  const t = useTranslations('releases')
  if (project === undefined) return <NoProject organization={organization} />
  const lines = [
    cliEnvironment(organization, project),
    'VERSION=$(git rev-parse HEAD)',
    `${cli()} releases new "$VERSION"`,
    `${cli()} releases set-commits "$VERSION" --auto`,
    `${cli()} releases finalize "$VERSION"`,
    `${cli()} deploys new --release "$VERSION" --env production`,
  ]
  return (
    <EmptyState title={t('none')}>
      <p className="mb-3">{t('noneTodo')}</p>
      <Commands lines={lines} label={t('none')} />
    </EmptyState>
  )
}

/** Shown if releases exist but none matches. Each filter has a button that removes it. */
export function NoReleaseMatches({ base, params, search }: { base: string; params: ReleaseParams; search: string }) {
  const t = useTranslations('releases')
  const to = (change: Parameters<typeof changedSearch>[1]) => base + changedSearch(new URLSearchParams(search), change)
  return (
    <EmptyState title={t('noneFound')}>
      <p>{t('noneFoundTodo')}</p>
      <div className="mt-4 flex flex-wrap gap-2">
        <RemovableScope params={params} to={to} />
        {params.status === 'archived' ? (
          <RemovableFilter text={t('statusArchived')} href={to({ status: null })} />
        ) : null}
        {params.at > 0 ? (
          <Link className={buttonClass({ compact: true })} href={to({ at: null })}>
            {t('newest')}
          </Link>
        ) : null}
      </div>
    </EmptyState>
  )
}
