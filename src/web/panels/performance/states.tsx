import { useTranslations } from 'next-intl'
import { CopyButton } from '../../ui/copy/copy-button.tsx'
import { buttonClass } from '../../ui/forms/controls.tsx'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import { EmptyState, ErrorState } from '../../ui/states.tsx'
import { changedSearch, type PerformanceChange, type PerformanceParams } from './params.ts'

const snippet = `Sentry.init({
  dsn: '…',
  // The part of all traces that is sent: 0.1 is every tenth.
  tracesSampleRate: 0.1,
})`

/** Shown without any spans: the setting that sends them. */
export function NoSpans({ organization, project }: { organization: string; project: string | undefined }) {
  const t = useTranslations('performance.empty')
  return (
    <EmptyState title={t('title')}>
      <p className="mb-3">{t('todo')}</p>
      <div className="max-w-[72ch]">
        <ScrollBox label={t('snippet')}>
          <pre className="border border-line p-3">{snippet}</pre>
        </ScrollBox>
        <p className="mt-2 flex gap-2">
          <CopyButton text={snippet} label={t('copy')} />
          {project === undefined ? null : (
            <Link className={buttonClass({ compact: true })} href={`/o/${organization}/projects/${project}/setup`}>
              {t('setup')}
            </Link>
          )}
        </p>
      </div>
    </EmptyState>
  )
}

/** Shown if spans exist but none matches. Each filter has a link that removes it. */
export function NothingFound({ base, params, search }: { base: string; params: PerformanceParams; search: string }) {
  const t = useTranslations('performance.nothing')
  const out = (name: string, text: string, change: PerformanceChange) => (
    <Link
      key={name}
      className={buttonClass({ compact: true })}
      href={base + changedSearch(new URLSearchParams(search), change)}
    >
      {name}{' '}
      <code>
        <PlainText text={text} charactersMax={60} />
      </code>{' '}
      ×
    </Link>
  )
  return (
    <EmptyState title={t('title')}>
      <p>{t('todo')}</p>
      <div className="mt-4 flex flex-wrap gap-2">
        {params.q ? out(t('text'), params.q, { q: null }) : null}
        {params.project ? out(t('project'), params.project, { project: null }) : null}
        {params.env ? out(t('environment'), params.env, { env: null }) : null}
        {params.release ? out(t('release'), params.release, { release: null }) : null}
      </div>
    </EmptyState>
  )
}

/** Shown if the store did not answer, or took too long. */
export function PerformanceFailed({ code }: { code: string }) {
  const t = useTranslations('performance.failed')
  const isLate = code === 'QUERY_TIMEOUT'
  return <ErrorState title={isLate ? t('late') : t('away')} todo={isLate ? t('lateTodo') : t('awayTodo')} code={code} />
}
