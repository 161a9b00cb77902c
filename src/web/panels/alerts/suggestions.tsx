'use client'
import { useTranslations } from 'next-intl'
import type { RestBackTest } from '../../../contract/alerts/alerts-back-test.ts'
import { Button } from '../../ui/forms/controls.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { keyOf, type Mark, markOf } from './back-test/noise.ts'
import { useEditor } from './editor-context.ts'
import { applied } from './suggested.ts'
import { useMinutes } from './words.tsx'

/** Changes that are shown: those that avoid most, and of these those that lose least. */
const shownMax = 4

type Suggestion = NonNullable<RestBackTest['suggest']>[number]

const best = (all: readonly Suggestion[]): Suggestion[] =>
  all.toSorted((a, b) => b.avoids.length - a.avoids.length || a.loses.length - b.loses.length).slice(0, shownMax)

/** What would have avoided the firings that were marked as noise, and what else it would have lost. */
export function Suggestions({
  answer,
  marked,
  valueText,
}: {
  answer: RestBackTest
  marked: readonly Mark[]
  valueText: (value: number | null) => string
}) {
  const t = useTranslations('alerts.noise')
  const { draft, change } = useEditor()
  const minutes = useMinutes()
  const numbers = new Map(
    answer.firings.map((firing, at) => [
      keyOf(markOf(firing)),
      firing.group === null ? `${at + 1}` : `${at + 1} (${firing.group})`,
    ]),
  )
  const wordsOf = ({ change: kind, value }: Suggestion): string => {
    if (kind === 'filter') return t('filter', { text: String(value) })
    if (kind === 'window') return t('window', { window: minutes(Number(value)) })
    return kind === 'minimum'
      ? t('minimum', { count: Number(value) })
      : t('threshold', { value: valueText(Number(value)) })
  }
  const lost = ({ loses }: Suggestion) =>
    loses
      .map((mark) => numbers.get(keyOf(mark)))
      .filter((number) => number !== undefined)
      .join(', ')
  return (
    <section className="alert-noise" aria-label={t('title')} aria-live="polite">
      <h3>{t('title')}</h3>
      {answer.suggest?.length ? (
        <ul>
          {best(answer.suggest).map((suggestion) => (
            <li key={`${suggestion.change} ${suggestion.value}`}>
              <p>
                <b>
                  <PlainText text={wordsOf(suggestion)} charactersMax={200} />
                </b>{' '}
                {t('avoids', { count: suggestion.avoids.length, marked: marked.length })}{' '}
                {suggestion.loses.length === 0 ? (
                  t('losesNone')
                ) : (
                  <PlainText text={t('loses', { numbers: lost(suggestion) })} charactersMax={2000} />
                )}
              </p>
              <Button compact onClick={() => change(applied(draft, suggestion))}>
                {t('apply')}
              </Button>
            </li>
          ))}
        </ul>
      ) : (
        <p className="alert-note">{answer.suggest ? t('none') : t('waiting')}</p>
      )}
    </section>
  )
}
