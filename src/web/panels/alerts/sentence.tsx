'use client'
import { useLocale, useTranslations } from 'next-intl'
import { useMemo } from 'react'
import { PlainText } from '../../ui/plain-text.tsx'
import { useEditor } from './editor-context.ts'
import { useReceiverWords } from './receivers.ts'
import { useMinutes, useRuleWords } from './words.tsx'

/** The whole rule as one sentence. */
export function RuleSentence() {
  const t = useTranslations('alerts.sentence')
  const { draft, known } = useEditor()
  const wordsOf = useReceiverWords(known)
  const { clauseOf } = useRuleWords()
  const minutes = useMinutes()
  const locale = useLocale()
  const list = useMemo(() => new Intl.ListFormat(locale, { type: 'conjunction' }), [locale])
  const receivers = list.format(draft.actions.map((action) => wordsOf(action).name)) || t('nobody')
  const text = t('all', { receivers, clause: clauseOf(draft), interval: minutes(draft.intervalMinutes) })
  return (
    <section className="alert-say" aria-label={t('title')}>
      <span>{t('title')}</span>
      <p>
        <PlainText text={text} charactersMax={2000} />
      </p>
    </section>
  )
}
