import './release-health.css'
import { getLocale, getTranslations } from 'next-intl/server'
import type { RestHealth, RestShare } from '../../../contract/release-health.ts'
import { type HealthWords, healthWords } from './words.ts'

/** The sessions of a release in detail, or how to send them. `away`: the events store is down. */
export async function SessionsPart({ judged }: { judged: Promise<{ own: RestHealth | undefined } | 'away'> }) {
  const t = await getTranslations('releases.health')
  const words = healthWords(await getLocale())
  const found = await judged
  if (found === 'away') return <p className="stream-away">{t('away')}</p>
  if (!found.own) return <NoSessions />
  return (
    <>
      <Stats own={found.own} words={words} />
      <p className="mt-2 max-w-[88ch] text-small text-ink-3">{t('hint')}</p>
    </>
  )
}

/** A share with its interval and sample size, or a note that the data was not sent. */
async function Share({ share, words, of }: { share: RestShare | null; words: HealthWords; of: 'sessions' | 'users' }) {
  const t = await getTranslations('releases.health')
  if (!share) return <dd className="text-ink-3">{t(`none.${of}`)}</dd>
  return (
    <dd>
      <b>{words.percent(share.share)}</b>{' '}
      <span className="text-ink-3">
        {t(`sample.${of}`, { interval: words.interval(share), count: words.count(share.sample) })}
      </span>
    </dd>
  )
}

/** The ends of its sessions, and its crash-free rates with their intervals. */
async function Stats({ own, words }: { own: RestHealth; words: HealthWords }) {
  const t = await getTranslations('releases.health')
  const { adoption, sessions } = own
  return (
    <dl className="health-figures">
      <div>
        <dt>{t('crashFreeSessions')}</dt>
        <Share share={own.crashFreeSessions} words={words} of="sessions" />
      </div>
      <div>
        <dt>{t('crashFreeUsers')}</dt>
        <Share share={own.crashFreeUsers} words={words} of="users" />
      </div>
      <div>
        <dt>{t('adoption')}</dt>
        <dd>
          {adoption ? (
            <>
              <b>{words.percent(adoption.share)}</b>{' '}
              <span className="text-ink-3">
                {t(`stage.${adoption.stage}`)}, {t('of', { all: words.count(adoption.all) })}
              </span>
            </>
          ) : (
            <span className="text-ink-3">{t('none.adoption')}</span>
          )}
        </dd>
      </div>
      {(['crashed', 'abnormal', 'unhandled', 'errored'] as const).map((outcome) => (
        <div key={outcome}>
          <dt>{t(`ends.${outcome}`)}</dt>
          <dd>
            <b>{words.count(sessions[outcome])}</b>
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** Explains why there is no data and how to send sessions. */
async function NoSessions() {
  const t = await getTranslations('releases.health')
  return (
    <div className="max-w-[88ch] text-ink-2">
      <p>{t('empty')}</p>
      <ul className="health-how">
        <li>{t('how.browser')}</li>
        <li>{t('how.node')}</li>
        <li>{t('how.python')}</li>
      </ul>
    </div>
  )
}
