'use client'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { type LogSender, logSenders, logSnippetOf } from '../../platforms/log-senders.ts'
import { CopyButton } from '../../ui/copy/copy-button.tsx'
import { NoProject, RemovableScope } from '../../ui/empty-list.tsx'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import { Segments } from '../../ui/segments.tsx'
import { EmptyState } from '../../ui/states.tsx'
import type { LogParams } from './params.ts'

/** Shown if no line came in the range: how to send lines. */
export function NoLogs({ organization, dsn }: { organization: string; dsn: string | undefined }) {
  const t = useTranslations('logs.empty')
  const [sender, setSender] = useState<LogSender>('javascript')
  if (dsn === undefined) return <NoProject organization={organization} />
  const snippet = logSnippetOf(sender, dsn)
  return (
    <EmptyState title={t('none')}>
      <p className="mb-3">{t('todo')}</p>
      <Segments
        label={t('sender')}
        value={sender}
        choices={logSenders.map((value) => ({ value, label: t(value) }))}
        onChange={setSender}
      />
      <ScrollBox label={t('none')}>
        <pre className="mt-3 border border-line p-3">{snippet}</pre>
      </ScrollBox>
      <p className="mt-2">
        <CopyButton text={snippet} label={t('copy')} />
      </p>
    </EmptyState>
  )
}

/** Shown if no line matches. Each filter has a button that removes it. */
export function NoMatches({
  params,
  to,
}: {
  params: LogParams
  to: (change: { q?: null; project?: null; env?: null }) => string
}) {
  const t = useTranslations('logs.empty')
  return (
    <EmptyState title={t('noMatch')}>
      <p>{t('noMatchTodo')}</p>
      <div className="mt-4 flex flex-wrap gap-2">
        <RemovableScope params={params} to={to} />
      </div>
    </EmptyState>
  )
}
