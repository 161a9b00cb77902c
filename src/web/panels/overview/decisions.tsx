import { useLocale, useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import type { RestDecision } from '../../../contract/overview.ts'
import { releasePath } from '../../client/release-path.ts'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { type Severity, SeverityShape } from '../../ui/severity.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { figuresOf } from './figures.ts'

/** What the reader may do. Without it the verb only opens the page. */
export type OverviewRights = { triage: boolean; channels: boolean }

const severities: Record<RestDecision['kind'], Severity> = {
  escalating: 'error',
  release: 'warning',
  regressed: 'info',
  sourceMaps: 'warning',
  channel: 'error',
  disk: 'warning',
  deadLetters: 'warning',
  lag: 'error',
}

/** A decision as its sentence, reason and verb. */
type Entry = { key: string; sentence: ReactNode; reason: ReactNode; verb: string; href: string }

const strong = (text: string, charactersMax: number) => (
  <b>
    <PlainText text={text} charactersMax={charactersMax} />
  </b>
)

type EntryProps = { organization: string; rights: OverviewRights }

function useEntries({ organization, rights }: EntryProps): (decision: RestDecision) => Entry {
  const t = useTranslations('overview.decisions')
  const figures = figuresOf(useLocale())
  const base = `/o/${organization}`
  return (decision) => {
    switch (decision.kind) {
      case 'escalating':
        return {
          key: `escalating ${decision.issue.id}`,
          sentence: t.rich('escalating', { issue: () => strong(decision.issue.shortId, 40) }),
          reason: t('escalatingWhy', { users: decision.users, events: decision.events }),
          verb: rights.triage ? t('assign') : t('open'),
          href: `${base}/issues/${decision.issue.id}`,
        }
      case 'release':
        return {
          key: `release ${decision.project.slug}`,
          sentence: t.rich('release', {
            release: () => strong(decision.version, 60),
            previous: () => <PlainText text={decision.previous} charactersMax={60} />,
          }),
          reason: t('releaseWhy', {
            own: figures.share(decision.own.share),
            before: figures.share(decision.before.share),
          }),
          verb: t('compare'),
          href: releasePath(organization, decision.version),
        }
      case 'regressed':
        return {
          key: 'regressed',
          sentence: t('regressed', { count: decision.issues }),
          reason: <code>{decision.shortIds.join(', ')}</code>,
          verb: t('review'),
          href: `${base}/issues?q=${encodeURIComponent('is:regressed')}`,
        }
      case 'sourceMaps':
        return {
          key: `sourceMaps ${decision.project.slug}`,
          sentence: t.rich('sourceMaps', { project: () => strong(decision.project.slug, 60) }),
          reason: decision.groups === null ? t('sourceMapsMany') : t('sourceMapsWhy', { count: decision.groups }),
          verb: t('fix'),
          href: `${base}/settings/projects/${decision.project.slug}/source-maps`,
        }
      case 'channel':
        return {
          key: `channel ${decision.id}`,
          sentence: t.rich('channel', { channel: () => strong(decision.name, 60) }),
          reason: (
            <>
              <PlainText text={decision.error} charactersMax={100} /> · <RelativeTime at={decision.failingSince} />
            </>
          ),
          verb: rights.channels ? t('fix') : t('open'),
          href: `${base}/settings/notifications`,
        }
      case 'disk':
        return {
          key: 'disk',
          sentence: t('disk'),
          reason: t('diskWhy', {
            stored: figures.bytes(decision.storedBytes),
            budget: figures.bytes(decision.budgetBytes),
          }),
          verb: t('openStatus'),
          href: `${base}/status`,
        }
      case 'deadLetters':
        return {
          key: 'deadLetters',
          sentence: t('deadLetters', { count: decision.items }),
          reason: t('deadLettersWhy'),
          verb: t('openStatus'),
          href: `${base}/status`,
        }
      case 'lag':
        return {
          key: 'lag',
          sentence: t('lag'),
          reason: t('lagWhy', { count: decision.records, minutes: Math.ceil(decision.seconds / 60) }),
          verb: t('openStatus'),
          href: `${base}/status`,
        }
    }
  }
}

/** What waits for a person. Each entry is a sentence, its reason and one verb. */
export function Decisions({
  decisions,
  isWhole,
  ...props
}: EntryProps & {
  decisions: readonly RestDecision[]
  /** Whether every part that finds decisions answered. */
  isWhole: boolean
}) {
  const t = useTranslations('overview.decisions')
  const level = useTranslations('level')
  const entryOf = useEntries(props)
  return (
    <section aria-labelledby="overview-decisions">
      <div className="overview-head">
        <h2 id="overview-decisions">{t('title')}</h2>
        <span>{decisions.length > 0 ? decisions.length : ''}</span>
      </div>
      {decisions.length === 0 ? (
        <p className="overview-none">{isWhole ? t('none') : t('unknown')}</p>
      ) : (
        <ul className="overview-list">
          {decisions.map((decision) => {
            const { key, sentence, reason, verb, href } = entryOf(decision)
            const severity = severities[decision.kind]
            return (
              <li key={key} className="overview-decision">
                <SeverityShape level={severity} label={severity === 'ok' ? '' : level(severity)} />
                <div>
                  <p>{sentence}</p>
                  <p className="overview-why">{reason}</p>
                </div>
                <Link href={href} className="overview-verb">
                  {verb}
                </Link>
              </li>
            )
          })}
        </ul>
      )}
    </section>
  )
}
