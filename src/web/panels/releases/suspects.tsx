'use client'
import { useTranslations } from 'next-intl'
import type { RestCommitters, RestSuspectCommit } from '../../../contract/commits.ts'
import { Section } from '../../ui/panel-section.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { relativeParts } from '../../ui/relative.ts'
import { ReleaseLink } from '../../ui/release-link.tsx'
import { Time } from '../../ui/time.tsx'
import { CommitName } from './commit-name.tsx'

/** Maximum commits to show. Later ones are unlikely causes. */
const shownMax = 5

function Suspect({ organization, commit }: { organization: string; commit: RestSuspectCommit }) {
  const t = useTranslations('releases.suspects')
  const time = useTranslations('time')
  const { suspicion } = commit
  const { change, path, frame, filename, lineNo, confidence, alike, beforeMs } = suspicion
  const place = lineNo === null ? filename : t('place', { filename, line: String(lineNo) })
  const { unit, count } = relativeParts(beforeMs)
  return (
    <li className="suspect">
      <CommitName commit={commit} />
      <p className="text-ink-2">
        <PlainText text={t(`why_${change}`, { path, frame, place })} charactersMax={900} />
      </p>
      <p className="suspect-facts">
        <span className={confidence === 'high' ? 'text-ok' : 'text-ink-3'}>{t(confidence)}</span>
        {alike > 0 ? <span>{t('alike', { count: alike })}</span> : null}
        {beforeMs > 0 ? <span>{t('before', { age: time(unit, { count }) })}</span> : <Time at={commit.dateCreated} />}
        <span>
          {t('in')} <ReleaseLink organization={organization} version={commit.release} />
        </span>
      </p>
    </li>
  )
}

/** Commits that changed files of the stack, with reasons, most suspect first; or the missing requirement. */
export function Suspects({ organization, found }: { organization: string; found: RestCommitters }) {
  const t = useTranslations('releases.suspects')
  const { state, committers, releases } = found
  if (state === 'no_release' || state === 'no_frames') return null
  const commits = committers
    .flatMap((committer) => committer.commits)
    .sort((a, b) => order(a) - order(b))
    .slice(0, shownMax)
  return (
    <Section id="suspects" title={t('title')}>
      {state === 'found' ? (
        <ol className="suspects">
          {commits.map((commit) => (
            <Suspect key={`${commit.repository.id}:${commit.id}`} organization={organization} commit={commit} />
          ))}
        </ol>
      ) : (
        <p className="part-note suspect">
          <PlainText text={t(state, { release: releases[0] ?? '' })} charactersMax={400} />
        </p>
      )}
    </Section>
  )
}

const confidences = ['high', 'medium', 'low']

/**
 * Sorts like the server: uncertain file matches come after certain ones. Then by frame, by how well the path fits, and
 * by the time between commit and issue.
 */
function order({ suspicion: { frame, confidence, beforeMs } }: RestSuspectCommit): number {
  const lowRank = confidence === 'low' ? 100 : 0
  return (lowRank + frame) * 1e14 + confidences.indexOf(confidence) * 1e13 + Math.min(1e12, Math.max(0, beforeMs))
}
