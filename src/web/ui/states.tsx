import { useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import { ApiError } from '../client/api.ts'
import { SeverityShape } from './severity.tsx'

/** Nothing to show: what is missing, then the next step. */
export function EmptyState({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="max-w-[72ch] px-5 py-12">
      <h2>{title}</h2>
      {children ? <div className="mt-2 text-ink-2">{children}</div> : null}
    </div>
  )
}

/** One part of a page failed; the rest stays. `todo` says what to do, `code` is the catalogue's. */
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
      <div>
        <h2>{title}</h2>
        {todo ? <p className="mt-1 text-ink-2">{todo}</p> : null}
        {code ? <code className="mt-1 block text-ink-3">{code}</code> : null}
        {children ? <div className="mt-3 flex gap-2">{children}</div> : null}
      </div>
    </div>
  )
}

/** A part of a page could not be read: what the API says of it, or that nothing answers. Nothing without an error. */
export function QueryFailed({ error }: { error: Error | null }) {
  const t = useTranslations('common')
  if (!error) return null
  const known = error instanceof ApiError && error.code !== 'NETWORK' ? error : undefined
  return (
    <ErrorState
      title={known?.message ?? t('noAnswer')}
      todo={known?.causes.join(' ') ?? t('noAnswerTodo')}
      code={known?.code}
    />
  )
}
