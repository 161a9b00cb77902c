import { useTranslations } from 'next-intl'
import { CopyButton } from '../../ui/copy/copy-button.tsx'
import { NoProject, RemovableScope } from '../../ui/empty-list.tsx'
import { buttonClass } from '../../ui/forms/controls.tsx'
import { Link } from '../../ui/link.tsx'
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
  if (dsn === undefined) return <NoProject organization={organization} />
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
  const to = (change: Parameters<typeof changedSearch>[1]) => base + changedSearch(new URLSearchParams(search), change)
  return (
    <EmptyState title={t('noneFound')}>
      <p>{t('noneFoundTodo')}</p>
      <div className="mt-4 flex flex-wrap gap-2">
        <RemovableScope params={params} to={to} />
        {params.at > 0 ? (
          <Link className={buttonClass({ compact: true })} href={to({})}>
            {t('firstPage')}
          </Link>
        ) : null}
      </div>
    </EmptyState>
  )
}
