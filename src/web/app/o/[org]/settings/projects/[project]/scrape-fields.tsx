'use client'
import { useTranslations } from 'next-intl'
import { maskedToken } from '../../../../../../../domain/scrape.ts'
import type { GuardedState } from '../../../../../../client/form.ts'
import { TextField } from '../../../../../../ui/forms/controls.tsx'
import { Boxes } from './boxes.tsx'

export type ShownScraping = { scrape: boolean; scrapeTls: boolean; hasToken: boolean }

/** Whether and how to fetch scripts that nobody uploaded. */
export function ScrapeFields({ scraping, state }: { scraping: ShownScraping; state: GuardedState }) {
  const t = useTranslations('projectSettings')
  const { fields } = state
  return (
    <>
      <Boxes names={['scrape', 'scrapeTls'] as const} on={scraping} state={state} />
      <TextField
        id="scrapeToken"
        name="scrapeToken"
        type="password"
        label={t('scrapeToken')}
        hint={t('scrapeTokenHint')}
        errors={fields.scrapeToken}
        maxLength={200}
        autoComplete="new-password"
        spellCheck={false}
        defaultValue={scraping.hasToken ? maskedToken : ''}
      />
    </>
  )
}
