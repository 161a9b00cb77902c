import { getLocale, getTranslations } from 'next-intl/server'
import type { ReactNode } from 'react'
import type { RestComparedRelease } from '../../../../../../contract/release-compare.ts'
import type { RestRelease } from '../../../../../../contract/releases.ts'
import { versionInfo } from '../../../../../../domain/release-order.ts'
import { differenceOf } from '../../../../../../query/release-health-stats.ts'
import { ComparedIssues, type ProjectPlaces } from '../../../../../panels/release-compare/compared-issues.tsx'
import type { ReleaseJudgement } from '../../../../../panels/release-compare/load.ts'
import { VerdictBand } from '../../../../../panels/release-compare/verdict.tsx'
import { compareWords } from '../../../../../panels/release-compare/words.ts'
import { healthWords } from '../../../../../panels/release-health/words.ts'
import type { LoadedRelease } from '../../../../../panels/releases/load-release.ts'
import { Fact, Facts } from '../../../../../ui/facts.tsx'
import { buttonClass } from '../../../../../ui/forms/controls.tsx'
import { Link } from '../../../../../ui/link.tsx'
import { PlainText } from '../../../../../ui/plain-text.tsx'
import { Time } from '../../../../../ui/time.tsx'

type Judged = Promise<ReleaseJudgement | 'away'>

/** The verdict with its confidence, and the way to the whole comparison. */
export async function VerdictPart({ base, version, judged }: { base: string; version: string; judged: Judged }) {
  const t = await getTranslations('compare')
  const found = await judged
  if (found === 'away') return <p className="stream-away">{t('away')}</p>
  const { compared, shares } = found
  const search = new URLSearchParams({ a: compared?.a.version ?? '', b: version })
  return (
    <VerdictBand compared={compared} entries={shares}>
      {compared ? (
        <p className="verdict-acts">
          <Link className={buttonClass({ compact: true })} href={`${base}/releases/compare?${search}`}>
            <PlainText text={t('with', { previous: versionInfo(compared.a.version).description })} charactersMax={60} />
          </Link>
        </p>
      ) : null}
    </VerdictBand>
  )
}

const perThousand = (release: RestComparedRelease | undefined): number | undefined => {
  const sessions = release?.health?.sessions.all ?? 0
  return release && sessions > 0 ? (release.events / sessions) * 1000 : undefined
}

type FactOf = { label: string; value: ReactNode; change?: ReactNode; tone?: 'worse' | 'better'; title?: string }

/** Share of sessions, crash-free users, and errors for each 1,000 sessions. A change has a tone only if it is sure. */
async function sessionFacts(found: ReleaseJudgement): Promise<FactOf[]> {
  const t = await getTranslations('compare.facts')
  const locale = await getLocale()
  const [words, health] = [compareWords(locale), healthWords(locale)]
  const signed = new Intl.NumberFormat(locale, { maximumFractionDigits: 1, signDisplay: 'exceptZero' })
  const plain = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 })
  const { own, compared } = found
  const [users, usersBefore] = [own?.crashFreeUsers, compared?.a.health?.crashFreeUsers]
  const difference = users && usersBefore ? differenceOf(users, usersBefore) : undefined
  const [errors, errorsBefore] = [perThousand(compared?.b), perThousand(compared?.a)]
  return [
    {
      label: t('share'),
      value: own?.adoption ? words.percent(own.adoption.share) : '–',
      ...(own?.adoption ? {} : { title: t('noSessions') }),
    },
    {
      label: t('crashFreeUsers'),
      value: users ? health.percent(users.share) : '–',
      ...(users ? {} : { title: t('noUsers') }),
      ...(difference ? { change: words.points(difference.by) } : {}),
      ...(difference && difference.verdict !== 'same' ? { tone: difference.verdict } : {}),
    },
    {
      label: t('perThousand'),
      value: errors === undefined ? '–' : plain.format(errors),
      ...(errors === undefined ? { title: t('noSessions') } : {}),
      ...(errors === undefined || errorsBefore === undefined ? {} : { change: signed.format(errors - errorsBefore) }),
    },
  ]
}

/** The facts strip. Before the comparison is there, it has what needs no sessions. */
export async function FactsPart({
  release,
  events,
  judged,
}: {
  release: RestRelease
  events: LoadedRelease['events']
  judged: Judged | undefined
}) {
  const t = await getTranslations('compare.facts')
  const locale = await getLocale()
  const words = compareWords(locale)
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumSignificantDigits: 2 })
  const found = await judged
  const deploy = release.lastDeploy
  const facts: FactOf[] = [
    {
      label: t(deploy ? 'deployed' : 'created'),
      value: <Time at={deploy?.dateFinished ?? release.dateCreated} />,
      ...(deploy ? { change: <PlainText text={deploy.environment} charactersMax={32} /> } : {}),
    },
    ...(found && found !== 'away' ? await sessionFacts(found) : []),
    {
      label: t('events'),
      value: events ? words.count(events.own) : '–',
      ...(events && events.all > 0
        ? { change: t('ofEvents', { percent: percent.format(events.own / events.all) }) }
        : {}),
    },
    {
      label: t('commits'),
      value: words.count(release.commitCount),
      ...(release.authors.length > 0 ? { change: t('people', { count: release.authors.length }) } : {}),
    },
  ]
  return (
    <Facts>
      {facts.map((fact) => (
        <Fact key={fact.label} {...fact} />
      ))}
    </Facts>
  )
}

const goneMax = 10

/** The issues of the release before that this one does not have. */
export async function GonePart({
  organization,
  places,
  judged,
}: {
  organization: string
  places: ProjectPlaces
  judged: Judged
}) {
  const found = await judged
  if (found === 'away' || !found.compared) return null
  const { a, b, gone } = found.compared
  return (
    <ComparedIssues
      organization={organization}
      kind="gone"
      list={gone}
      a={a.version}
      b={b.version}
      places={places}
      rowsMax={goneMax}
    />
  )
}
