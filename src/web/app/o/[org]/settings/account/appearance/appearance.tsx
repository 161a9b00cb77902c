'use client'
import { useRouter } from 'next/navigation'
import { useLocale, useTranslations } from 'next-intl'
import { useEffect, useState } from 'react'
import { withBase } from '../../../../../../base-path.ts'
import { chosenTheme, setTheme, type Theme } from '../../../../../../client/theme.ts'
import { browserZone, chosenTimes, setTimes, type Times } from '../../../../../../client/zone.ts'
import { locales } from '../../../../../../locale.ts'
import { Field, Select } from '../../../../../../ui/forms/controls.tsx'
import { zoneName } from '../../../../../../zone.ts'

const themes: Theme[] = ['system', 'light', 'dark']
const languages = { en: 'English', de: 'Deutsch' } as const

/** In which zone to show times. The other one is on hover. */
function TimesField() {
  const t = useTranslations('account')
  const router = useRouter()
  const [times, choose] = useState<Times>('local')
  const [zone, setZone] = useState('')
  useEffect(() => {
    choose(chosenTimes())
    setZone(zoneName(browserZone()))
  }, [])
  return (
    <Field id="times" label={t('times')}>
      <Select
        id="times"
        value={times}
        onChange={(event) => {
          const next = event.target.value === 'utc' ? 'utc' : 'local'
          choose(next)
          setTimes(next)
          router.refresh()
        }}
      >
        <option value="local">{zone ? t('timesLocal', { zone }) : t('timesBrowser')}</option>
        <option value="utc">UTC</option>
      </Select>
    </Field>
  )
}

/** Theme, language and time zone. Stored in cookies of this browser. */
export function Appearance() {
  const t = useTranslations('account')
  const locale = useLocale()
  const router = useRouter()
  const [theme, choose] = useState<Theme>('system')
  useEffect(() => choose(chosenTheme()), [])
  return (
    <section className="mb-8 grid max-w-[460px] grid-cols-2 gap-4">
      <Field id="theme" label={t('theme')}>
        <Select
          id="theme"
          value={theme}
          onChange={(event) => {
            const next = themes.find((candidate) => candidate === event.target.value) ?? 'system'
            choose(next)
            setTheme(next)
          }}
        >
          {themes.map((choice) => (
            <option key={choice} value={choice}>
              {t(choice)}
            </option>
          ))}
        </Select>
      </Field>
      <Field id="language" label={t('language')}>
        <Select
          id="language"
          value={locale}
          onChange={(event) => {
            // biome-ignore lint/suspicious/noDocumentCookie: not every supported browser has the Cookie Store API
            document.cookie = `locale=${event.target.value}; path=${withBase('/')}; max-age=31536000; samesite=lax`
            router.refresh()
          }}
        >
          {locales.map((choice) => (
            <option key={choice} value={choice}>
              {languages[choice]}
            </option>
          ))}
        </Select>
      </Field>
      <TimesField />
    </section>
  )
}
