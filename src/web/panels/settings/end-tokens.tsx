'use client'
import { useTranslations } from 'next-intl'

/** A checkbox to revoke the person's API tokens together with the old password. */
export function EndTokens() {
  const t = useTranslations('security')
  return (
    <div>
      <label className="flex min-h-7 items-center gap-2">
        <input type="checkbox" name="endTokens" value="yes" className="checkbox" aria-describedby="end-tokens-note" />
        {t('endTokens')}
      </label>
      <p id="end-tokens-note" className="text-small text-ink-3">
        {t('endTokensHint')}
      </p>
    </div>
  )
}
