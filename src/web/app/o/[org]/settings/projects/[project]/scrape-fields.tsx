'use client'
import { useTranslations } from 'next-intl'
import { maskedToken } from '../../../../../../../domain/scrape.ts'
import type { GuardedState } from '../../../../../../client/form.ts'
import { TextField } from '../../../../../../ui/controls.tsx'

export type ShownScraping = { scrape: boolean; scrapeTls: boolean; hasToken: boolean }

/** Whether and how to fetch scripts that nobody uploaded. */
export function ScrapeFields({ scraping, state }: { scraping: ShownScraping; state: GuardedState }) {
  const t = useTranslations('projectSettings')
  const { fields, values } = state
  const sent = Object.keys(values).length > 0
  return (
    <>
      {(['scrape', 'scrapeTls'] as const).map((name) => (
        <div key={name}>
          <label className="flex min-h-7 items-center gap-2 font-[550]">
            <input
              type="checkbox"
              name={name}
              value="on"
              className="checkbox"
              defaultChecked={sent ? values[name] === 'on' : scraping[name]}
              aria-describedby={`${name}-note`}
            />
            {t(name)}
          </label>
          <p id={`${name}-note`} className="text-small text-ink-3">
            {t(`${name}Hint`)}
          </p>
        </div>
      ))}
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
