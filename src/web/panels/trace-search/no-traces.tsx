import { useTranslations } from 'next-intl'
import { CopyButton } from '../../ui/copy-button.tsx'
import { buttonClass } from '../../ui/forms/controls.tsx'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { changedSearch, type TraceParams } from './params.ts'

const snippet = (dsn: string) => `Sentry.init({
  dsn: '${dsn}',
  // The share of traces that is sent, from 0 to 1.
  tracesSampleRate: 1,
})`

/** Shown if no span came in the range: how to send spans. */
export function NoTraces({ organization, dsn }: { organization: string; dsn: string | undefined }) {
  const t = useTranslations('spans')
  const issues = useTranslations('issues.noProject')
  if (dsn === undefined)
    return (
      <EmptyState title={issues('title')}>
        <p>{issues('todo')}</p>
        <Link className={buttonClass({ look: 'main' }, 'mt-4')} href={`/o/${organization}/projects/new`}>
          {issues('action')}
        </Link>
      </EmptyState>
    )
  return (
    <EmptyState title={t('none')}>
      <p className="mb-3">{t('noneTodo')}</p>
      <ScrollBox label={t('none')}>
        <pre className="border border-line p-3">{snippet(dsn)}</pre>
      </ScrollBox>
      <p className="mt-2">
        <CopyButton text={snippet(dsn)} label={t('copy')} />
      </p>
    </EmptyState>
  )
}

/** Shown if spans exist but none matches. Each filter has a button that removes it. */
export function NoMatches({ base, params, search }: { base: string; params: TraceParams; search: string }) {
  const t = useTranslations('spans')
  const filters = useTranslations('issues.filters')
  const to = (change: Parameters<typeof changedSearch>[1]) => base + changedSearch(new URLSearchParams(search), change)
  const out = (label: string, text: string, href: string) => (
    <Link className={buttonClass({ compact: true })} href={href}>
      {label}{' '}
      <code>
        <PlainText text={text} charactersMax={60} />
      </code>{' '}
      ×
    </Link>
  )
  return (
    <EmptyState title={t('noneFound')}>
      <p>{t('noneFoundTodo')}</p>
      <div className="mt-4 flex flex-wrap gap-2">
        {params.q ? out('', params.q, to({ q: null })) : null}
        {params.project ? out(`${filters('project')}:`, params.project, to({ project: null })) : null}
        {params.env ? out(`${filters('environment')}:`, params.env, to({ env: null })) : null}
        {params.at > 0 ? (
          <Link className={buttonClass({ compact: true })} href={to({})}>
            {t('firstPage')}
          </Link>
        ) : null}
      </div>
    </EmptyState>
  )
}
