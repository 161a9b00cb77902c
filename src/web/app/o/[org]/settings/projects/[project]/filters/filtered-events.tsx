import { getTranslations } from 'next-intl/server'
import type { FilteredEvent } from '../../../../../../../../store/meta/projects/inbound-filters.ts'
import { PlainText } from '../../../../../../../ui/plain-text.tsx'
import { Time } from '../../../../../../../ui/time.tsx'

/** Maximum characters to show per event. */
const shownCharacters = 20_000

function pretty(payload: string): string {
  const text = JSON.stringify(JSON.parse(payload), null, 2)
  return text.length > shownCharacters ? `${text.slice(0, shownCharacters).toWellFormed()} …` : text
}

/** The sample (one in a hundred) of dropped events that is stored. */
export async function Samples({ samples }: { samples: readonly FilteredEvent[] }) {
  const t = await getTranslations('filters')
  return (
    <section className="mt-8">
      <h2>{t('samples')}</h2>
      <p className="mb-3 mt-1 max-w-[72ch] text-ink-2">{t('samplesHint')}</p>
      {samples.length === 0 ? (
        <p className="text-ink-3">{t('noSamples')}</p>
      ) : (
        <ul className="border-t border-line">
          {samples.map((sample) => (
            <li key={`${sample.reason} ${sample.eventId} ${sample.receivedMs}`} className="border-b border-line py-2">
              <details>
                <summary className="cursor-pointer">
                  <span className="chip">{t(`reason.${sample.reason}`)}</span>{' '}
                  <PlainText text={sample.title} charactersMax={160} />{' '}
                  <span className="text-small text-ink-3">
                    {sample.why ? (
                      <>
                        <code>
                          <PlainText text={sample.why} charactersMax={200} />
                        </code>
                        {', '}
                      </>
                    ) : null}
                    <Time at={sample.receivedMs} />
                  </span>
                </summary>
                {sample.payload === '' ? (
                  <p className="mt-2 text-ink-3">{t('tooLarge')}</p>
                ) : (
                  <pre className="mt-2 max-h-[50vh] overflow-auto bg-sunken p-3 text-small">
                    <PlainText text={pretty(sample.payload)} charactersMax={shownCharacters + 2} />
                  </pre>
                )}
              </details>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
