'use client'
import { useTranslations } from 'next-intl'
import { Code } from '../../ui/code.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { PlainText } from '../../ui/plain-text.tsx'

/** The query as a sentence, and as SQL for people. */
export function QueryWords({ words, sql }: { words: string; sql: string }) {
  const t = useTranslations('explore')
  return (
    <section className="explore-words" aria-label={t('words')}>
      <h2>{t('words')}</h2>
      <p lang="en">
        <PlainText text={words} charactersMax={2000} />
      </p>
      <details>
        <summary>{t('sql')}</summary>
        <Code text={sql} language="sql" label={t('sql')} />
        <CopyButton text={sql} label={t('copySql')} />
      </details>
    </section>
  )
}
