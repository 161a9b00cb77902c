'use client'
import { useLocale, useTranslations } from 'next-intl'
import { useState } from 'react'
import type { RestBackTest } from '../../../contract/alerts/alerts-back-test.ts'
import { Button } from '../../ui/forms/controls.tsx'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { useTimeText } from '../../ui/time.tsx'
import { isMarked, type Mark, markOf } from './back-test/noise.ts'
import { useLasted } from './words.tsx'

/** Rows that are shown at once. A rule that fires more often has another problem. */
const shownMax = 20

type Firing = RestBackTest['firings'][number]

function Row({
  firing,
  number,
  toMs,
  isNoise,
  toggle,
  valueText,
}: {
  firing: Firing
  number: number
  toMs: number
  isNoise: boolean
  toggle: (() => void) | undefined
  valueText: (value: number | null) => string
}) {
  const t = useTranslations('alerts.backTest')
  const { text, both } = useTimeText()
  const locale = useLocale()
  const lasted = useLasted()
  const { startMs, endMs, peak, level, trigger, group, mostly } = firing
  const share = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 })
  return (
    <tr data-noise={isNoise || undefined}>
      <td>
        <span className="alert-number-box" data-level={level}>
          {number}
        </span>
      </td>
      <td title={both(startMs)}>{text(startMs, 'shortMinute')}</td>
      <td className="number">
        {endMs === null
          ? t('goesOn', { duration: lasted(toMs - startMs) })
          : endMs > startMs
            ? lasted(endMs - startMs)
            : '–'}
      </td>
      <td className="number">
        <b>{valueText(peak)}</b>
      </td>
      <td>
        {group === null ? null : (
          <b className="alert-group">
            <PlainText text={group} charactersMax={120} />
          </b>
        )}{' '}
        {mostly ? (
          <>
            <Link className="alert-short" href={`/i/${encodeURIComponent(mostly.issue)}`}>
              {mostly.issue}
            </Link>{' '}
            <span className="text-ink-2">
              <PlainText text={mostly.title} charactersMax={100} />
              {trigger === null ? `, ${share.format(mostly.share)}` : null}
            </span>
          </>
        ) : null}
      </td>
      <td>
        {toggle ? (
          <Button
            look="plain"
            compact
            aria-pressed={isNoise}
            aria-label={group === null ? t('markNoise', { number }) : t('markGroup', { number, group })}
            onClick={toggle}
          >
            {t(isNoise ? 'isNoise' : 'noise')}
          </Button>
        ) : null}
      </td>
    </tr>
  )
}

/** The firings of a back-test, the newest first, each with its main issue. */
export function Firings({
  answer,
  noise,
  toggleNoise,
  valueText,
}: {
  answer: RestBackTest
  noise: readonly Mark[]
  toggleNoise: ((mark: Mark) => void) | undefined
  valueText: (value: number | null) => string
}) {
  const t = useTranslations('alerts.backTest')
  const [isWhole, setWhole] = useState(false)
  const rows = answer.firings.map((firing, at) => ({ firing, number: at + 1 })).reverse()
  if (rows.length === 0) return null
  return (
    <section aria-label={t('firings')}>
      <h3 className="alert-sub">
        {t('firings')} <span className="alert-note">{rows.length}</span>
      </h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls must be reachable by keyboard */}
      <div className="alert-table" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th>
                <span className="visually-hidden">{t('number')}</span>
              </th>
              <th>{t('firedAt')}</th>
              <th className="number">{t('lasted')}</th>
              <th className="number">{t('peak')}</th>
              <th>{t('mostly')}</th>
              <th>
                <span className="visually-hidden">{t('noise')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, isWhole ? undefined : shownMax).map(({ firing, number }) => (
              <Row
                key={number}
                firing={firing}
                number={number}
                toMs={answer.toMs}
                isNoise={isMarked(noise, markOf(firing))}
                toggle={toggleNoise && (() => toggleNoise(markOf(firing)))}
                valueText={valueText}
              />
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > shownMax && !isWhole ? (
        <Button look="plain" compact onClick={() => setWhole(true)}>
          {t('showAll', { count: rows.length })}
        </Button>
      ) : null}
    </section>
  )
}
