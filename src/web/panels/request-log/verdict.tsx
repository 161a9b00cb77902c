'use client'
import { useTranslations } from 'next-intl'
import { type Severity, SeverityShape } from '../../ui/severity.tsx'
import { verdictOf } from './verdicts.ts'

/** Advice for a reason in the person's language. `text` is the API's advice, for reasons unknown to this page. */
export function useTodo(): (reason: string, text: string) => string {
  const t = useTranslations('operation.todo')
  return (reason, text) => (t.has(reason as 'failed') ? t(reason as 'failed') : text)
}

/** The outcome of an item, with its severity shape. */
export function Verdict({ outcome }: { outcome: string }) {
  const t = useTranslations('operation.outcomes')
  const level: Severity = verdictOf(outcome)
  const name = outcome as 'stored'
  return (
    <span className="inline-flex items-baseline gap-1.5 whitespace-nowrap">
      <SeverityShape level={level} label="" sizePx={8} />
      {t.has(name) ? t(name) : outcome}
    </span>
  )
}
