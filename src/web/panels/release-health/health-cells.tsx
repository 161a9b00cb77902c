'use client'
import './release-health.css'
import { useLocale, useTranslations } from 'next-intl'
import type { RestHealth } from '../../../contract/release-health.ts'
import { healthWords } from './words.ts'

/** Health of a release in the list. null: no sessions. undefined: no project sends sessions, so there is no column. */
export type ShownHealth = RestHealth | null | undefined

/** The column headers. */
export function HealthColumns() {
  const t = useTranslations('releases.health')
  return (
    <>
      <span className="release-number release-health">{t('crashFree')}</span>
      <span className="release-number release-adoption">{t('adoption')}</span>
    </>
  )
}

/** Crash-free sessions with interval and count, and the share of today's sessions. */
export function HealthCells({ health }: { health: ShownHealth }) {
  const t = useTranslations('releases.health')
  const words = healthWords(useLocale())
  if (health === undefined) return null
  const share = health?.crashFreeSessions
  const adoption = health?.adoption
  return (
    <>
      <span className="release-number release-health" data-none={!share || undefined}>
        <span className="release-label">{t('crashFree')} </span>
        {share ? (
          <>
            <b>{words.percent(share.share)}</b>
            <span className="release-second">
              {t('sample.sessions', { interval: words.interval(share), count: words.count(share.sample) })}
            </span>
          </>
        ) : (
          <span className="text-ink-3" title={t('none.sessions')}>
            –<span className="visually-hidden"> {t('none.sessions')}</span>
          </span>
        )}
      </span>
      <span className="release-number release-adoption" data-none={!adoption || undefined}>
        <span className="release-label">{t('adoption')} </span>
        {adoption ? (
          <>
            <span>{words.percent(Math.round(adoption.share * 1000) / 1000)}</span>
            <span className="release-second">{t(`stage.${adoption.stage}`)}</span>
          </>
        ) : (
          <span className="text-ink-3">–</span>
        )}
      </span>
    </>
  )
}

/** Explains below the list why it has no health columns. */
export function NoHealth() {
  const t = useTranslations('releases.health')
  return <p className="health-none">{t('listEmpty')}</p>
}
