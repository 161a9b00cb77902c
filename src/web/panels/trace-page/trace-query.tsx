import { useTranslations } from 'next-intl'
import { isTemporary } from '../../client/api.ts'
import { ListFailed } from '../../ui/list-states.tsx'

/** How queries of traces go on while a store is away: every 3 s, for five minutes. */
export const traceRetry = {
  staleTime: 60_000,
  retry: (tries: number, error: Error) => isTemporary(error) && tries < 100,
  retryDelay: 3000,
}

/** Shown until a query of traces has an answer: that it loads, or why it failed. */
export function TraceWaiting({ error, retry }: { error: Error | null; retry: () => unknown }) {
  const t = useTranslations('trace')
  return error ? (
    <ListFailed error={error} retrying={isTemporary(error)} retry={() => void retry()} />
  ) : (
    <p className="tp-loading" role="status">
      {t('loading')}
    </p>
  )
}
