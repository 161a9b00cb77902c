import { useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import { ApiError } from '../client/api.ts'
import { SeverityShape } from './severity.tsx'

/** Shown without data: the missing thing, then the next step. */
export function EmptyState({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="max-w-[72ch] px-5 py-12">
      <h2>{title}</h2>
      {children ? <div className="mt-2 text-ink-2">{children}</div> : null}
    </div>
  )
}

/** Shown if one part of a page failed. `todo` is the solution, `code` the error code. */
export function ErrorState({
  title,
  todo,
  code,
  children,
}: {
  title: string
  todo?: string | undefined
  code?: string | undefined
  children?: ReactNode
}) {
  return (
    <div role="alert" className="flex max-w-[72ch] gap-3 px-5 py-8">
      <span className="pt-0.5">
        <SeverityShape level="error" label="" sizePx={11} />
      </span>
      <div className="min-w-0 wrap-anywhere">
        <h2>{title}</h2>
        {todo ? <p className="mt-1 text-ink-2">{todo}</p> : null}
        {code ? <code className="mt-1 block text-ink-3">{code}</code> : null}
        {children ? <div className="mt-3 flex gap-2">{children}</div> : null}
      </div>
    </div>
  )
}

/** Shown if a part of a page failed to load, with the API's error or a note that there was no response. */
export function QueryFailed({ error }: { error: Error | null }) {
  const t = useTranslations('common')
  if (!error) return null
  const apiError = error instanceof ApiError && error.code !== 'NETWORK' ? error : undefined
  return (
    <ErrorState
      title={apiError?.message ?? t('noAnswer')}
      todo={apiError?.causes.join(' ') ?? t('noAnswerTodo')}
      code={apiError?.code}
    />
  )
}
