import { useLocale, useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import type { RestDecision } from '../../../contract/overview.ts'
import { assignHash } from '../../client/assign-hash.ts'
import { releasePath } from '../../client/release-path.ts'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { type Severity, SeverityShape } from '../../ui/severity.tsx'
import { Time } from '../../ui/time.tsx'
import { type OverviewWords, overviewWords } from './words.ts'

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
type Tools = EntryProps & {
  t: ReturnType<typeof useTranslations<'overview.decisions'>>
  words: OverviewWords
  /** The path of the organization. */
  base: string
}
type Of<Kind extends RestDecision['kind']> = Extract<RestDecision, { kind: Kind }>
type Builder<Kind extends RestDecision['kind']> = (decision: Of<Kind>, tools: Tools) => Entry

const escalating: Builder<'escalating'> = ({ issue, users, events }, { t, base, rights }) => ({
  key: `escalating ${issue.id}`,
  sentence: t.rich('escalating', { issue: () => strong(issue.shortId, 40) }),
  reason: t('escalatingWhy', { users, events }),
  verb: rights.triage ? t('assign') : t('open'),
  href: `${base}/issues/${issue.id}${rights.triage ? assignHash : ''}`,
})

const release: Builder<'release'> = ({ project, version, previous, own, before }, { t, words, organization }) => ({
  key: `release ${project.slug}`,
  sentence: t.rich('release', {
    release: () => strong(version, 60),
    previous: () => <PlainText text={previous} charactersMax={60} />,
  }),
  reason: t('releaseWhy', { own: words.share(own.share), before: words.share(before.share) }),
  verb: t('compare'),
  href: releasePath(organization, version),
})

const regressed: Builder<'regressed'> = ({ issues, shortIds }, { t, base }) => ({
  key: 'regressed',
  sentence: t('regressed', { count: issues }),
  reason: <code>{shortIds.join(', ')}</code>,
  verb: t('review'),
  href: `${base}/issues?q=${encodeURIComponent('is:regressed')}`,
})

const sourceMaps: Builder<'sourceMaps'> = ({ project, groups }, { t, base }) => ({
  key: `sourceMaps ${project.slug}`,
  sentence: t.rich('sourceMaps', { project: () => strong(project.slug, 60) }),
  reason: groups === null ? t('sourceMapsMany') : t('sourceMapsWhy', { count: groups }),
  verb: t('fix'),
  href: `${base}/settings/projects/${project.slug}/source-maps`,
})

const channel: Builder<'channel'> = ({ id, name, error, failingSince }, { t, base, rights }) => ({
  key: `channel ${id}`,
  sentence: t.rich('channel', { channel: () => strong(name, 60) }),
  reason: (
    <>
      <PlainText text={error} charactersMax={100} /> · <Time at={failingSince} />
    </>
  ),
  verb: rights.channels ? t('fix') : t('open'),
  href: `${base}/settings/notifications`,
})

const disk: Builder<'disk'> = ({ storedBytes, budgetBytes }, { t, words, base }) => ({
  key: 'disk',
  sentence: t('disk'),
  reason: t('diskWhy', { stored: words.bytes(storedBytes), budget: words.bytes(budgetBytes) }),
  verb: t('openStatus'),
  href: `${base}/status`,
})

const deadLetters: Builder<'deadLetters'> = ({ items }, { t, base }) => ({
  key: 'deadLetters',
  sentence: t('deadLetters', { count: items }),
  reason: t('deadLettersWhy'),
  verb: t('openStatus'),
  href: `${base}/status`,
})

const lag: Builder<'lag'> = ({ records, seconds }, { t, base }) => ({
  key: 'lag',
  sentence: t('lag'),
  reason: t('lagWhy', { count: records, minutes: Math.ceil(seconds / 60) }),
  verb: t('openStatus'),
  href: `${base}/status`,
})

const builders: { [Kind in RestDecision['kind']]: Builder<Kind> } = {
  escalating,
  release,
  regressed,
  sourceMaps,
  channel,
  disk,
  deadLetters,
  lag,
}

const entryOf = <Kind extends RestDecision['kind']>(decision: Of<Kind> & { kind: Kind }, tools: Tools): Entry =>
  (builders[decision.kind] as Builder<Kind>)(decision, tools)

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
  const words = overviewWords(useLocale())
  const tools: Tools = { ...props, t, words, base: `/o/${props.organization}` }
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
            const { key, sentence, reason, verb, href } = entryOf(decision, tools)
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
