import './release-health.css'
import { getLocale, getTranslations } from 'next-intl/server'
import { Suspense } from 'react'
import type { RestHealth, RestHealthChange, RestShare } from '../../../contract/release-health.ts'
import { versionInfo } from '../../../domain/release-order.ts'
import { type ReleaseHealth, releaseHealth } from '../../../query/release-health.ts'
import type { Project } from '../../../store/meta/meta.ts'
import { app } from '../../handle.ts'
import { unlessAway } from '../../server/unless-away.ts'
import { Section } from '../../ui/section.tsx'
import { Intervals } from './intervals.tsx'
import { type HealthWords, healthWords } from './words.ts'

/** A release's health from its sessions. Streams in, so that the rest of the page does not wait. */
export async function HealthPart(props: { version: string; projects: readonly Project[] }) {
  const t = await getTranslations('releases.health')
  return (
    <Section title={t('title')}>
      <Suspense fallback={<p className="text-ink-3">{t('loading')}</p>}>
        <Health {...props} />
      </Suspense>
    </Section>
  )
}

async function Health({ version, projects }: { version: string; projects: readonly Project[] }) {
  const t = await getTranslations('releases.health')
  const words = healthWords(await getLocale())
  // An array tells "no health found" from undefined, which means that the store is unavailable.
  const [found] = (await unlessAway(
    releaseHealth(app(), { projects, environments: [], version }).then((it) => [it]),
  )) ?? ['away' as const]
  if (found === 'away') return <p className="stream-away">{t('away')}</p>
  if (!found) return <NoSessions />
  const { own, before, change } = found
  const shares = [
    ...(own.crashFreeSessions ? [{ version, share: own.crashFreeSessions }] : []),
    ...before.map((release) => ({ version: release.version, share: release.crashFreeSessions })),
  ]
  return (
    <>
      <div className="health-head">
        <Verdict change={change} words={words} />
        <Intervals
          entries={shares}
          words={words}
          labels={{
            caption: t('intervals'),
            release: t('release'),
            share: t('crashFreeSessions'),
            interval: t('interval'),
            sessions: t('sessions'),
          }}
        />
      </div>
      <Stats own={own} words={words} />
      <p className="mt-2 max-w-[88ch] text-small text-ink-3">{t('hint')}</p>
    </>
  )
}

/** Compares the release with the previous one and states the confidence. */
async function Verdict({ change, words }: { change: ReleaseHealth['change']; words: HealthWords }) {
  const t = await getTranslations('releases.health')
  if (!change)
    return (
      <div className="health-verdict">
        <h3>{t('first')}</h3>
        <p>{t('firstHint')}</p>
      </div>
    )
  const previous = versionInfo(change.previous).description
  return (
    <div className="health-verdict" data-verdict={change.verdict}>
      <h3>{t(`verdict.${change.verdict}`, { previous })}</h3>
      <p>
        {change.verdict === 'same' ? (
          t('same', { sample: words.count(change.own.sample), needed: words.count(change.needed) })
        ) : (
          <ChangeSentence change={change} words={words} />
        )}{' '}
        {t('equal', { sample: words.count(change.own.sample), previous })}
      </p>
    </div>
  )
}

async function ChangeSentence({ change, words }: { change: RestHealthChange; words: HealthWords }) {
  const t = await getTranslations('releases.health')
  const bounds = [Math.abs(change.low), Math.abs(change.high)].sort((a, b) => a - b)
  return t(`moved.${change.verdict === 'better' ? 'better' : 'worse'}`, {
    points: words.points(change.by),
    low: words.points(bounds[0] ?? 0),
    high: words.points(bounds[1] ?? 0),
  })
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
