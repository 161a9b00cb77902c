import './release-compare.css'
import { useLocale, useTranslations } from 'next-intl'
import type { RestComparedIssue, RestComparedIssues } from '../../../contract/release-compare.ts'
import { versionInfo } from '../../../domain/release-order.ts'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { Rail } from '../../ui/rail.tsx'
import { SeverityShape } from '../../ui/severity.tsx'
import { headOf } from '../issue/issue-head.ts'
import { type CompareWords, compareWords } from './words.ts'

type Kind = 'new' | 'more' | 'fewer' | 'gone'

/** The place of each project in the organization's list, by slug. */
export type ProjectPlaces = Readonly<Record<string, number>>

const short = (version: string) => versionInfo(version).description

function Side({
  version,
  side,
  basis,
  words,
}: {
  version: string
  side: RestComparedIssue['a']
  basis: RestComparedIssue['basis']
  words: CompareWords
}) {
  const t = useTranslations('compare')
  return (
    <td className="number">
      {/* Phones hide the head of the table. */}
      <span className="compare-label" aria-hidden="true">
        <PlainText text={short(version)} charactersMax={24} />
      </span>
      <b>{side.rate && basis ? words.rate(side.rate.rate, basis) : '–'}</b>
      <span className="compare-second">{t('events', { count: side.events })}</span>
    </td>
  )
}

/** The difference with its interval, or that chance could explain it. */
function Difference({ row, words }: { row: RestComparedIssue; words: CompareWords }) {
  const t = useTranslations('compare')
  const { basis, difference, verdict } = row
  if (!difference || !basis) return <td className="number text-ink-3 compare-difference">{t('noBasis')}</td>
  const bounds = { low: words.difference(difference.low, basis), high: words.difference(difference.high, basis) }
  return (
    <td className="number compare-difference">
      {verdict === 'same' ? (
        <span className="text-ink-3">{t('notYet')}</span>
      ) : (
        <b className={verdict === 'more' ? 'text-error' : 'text-ok'}>{words.difference(difference.by, basis)}</b>
      )}
      <span className="compare-second">{t(`unit.${basis}`, bounds)}</span>
    </td>
  )
}

function IssueCell({
  organization,
  row,
  places,
}: {
  organization: string
  row: RestComparedIssue
  places: ProjectPlaces
}) {
  const level = useTranslations('level')
  const badge = useTranslations('issues.badge')
  const { issue } = row
  const { type, value } = headOf(issue)
  const state = issue.status === 'resolved' ? 'resolved' : issue.status === 'ignored' ? 'archived' : issue.substatus
  return (
    <th scope="row">
      <span className="compare-line">
        <SeverityShape level={issue.level} label={level(issue.level)} />
        <Link href={`/o/${organization}/issues/${issue.id}`}>
          <b>
            <PlainText text={type} charactersMax={120} />
          </b>{' '}
          <PlainText text={value} charactersMax={300} />
        </Link>
      </span>
      <span className="compare-line compare-second">
        <Rail place={places[issue.project.slug] ?? 0} />
        <code>{issue.shortId}</code>
        {state === 'regressed' || state === 'escalating' || state === 'resolved' || state === 'archived' ? (
          <span className={state === 'regressed' ? 'compare-state text-warning' : 'compare-state'}>{badge(state)}</span>
        ) : null}
        <span className="compare-culprit">
          <PlainText text={issue.culprit} charactersMax={200} />
        </span>
      </span>
    </th>
  )
}

/** Issues of one kind with their rates in both releases and the difference with its interval. */
export function ComparedIssues({
  organization,
  kind,
  list,
  a,
  b,
  places,
  rowsMax = list.rows.length,
}: {
  organization: string
  kind: Kind
  list: RestComparedIssues
  /** Versions. */
  a: string
  b: string
  places: ProjectPlaces
  rowsMax?: number
}) {
  const t = useTranslations('compare')
  const words = compareWords(useLocale())
  const names = { a: short(a), b: short(b) }
  const rows = list.rows.slice(0, rowsMax)
  const note = kind === 'new' ? t('newNote', names) : kind === 'gone' ? t('goneNote', names) : ''
  return (
    <section aria-labelledby={`compare-${kind}`} className="compare-section">
      <h2 id={`compare-${kind}`}>
        {t(kind)}{' '}
        <span>
          {rows.length < list.total
            ? t('ofAll', { shown: rows.length, all: words.count(list.total) })
            : words.count(list.total)}
          {note && list.total > 0 ? (
            <>
              , <PlainText text={note} charactersMax={100} />
            </>
          ) : null}
        </span>
      </h2>
      {rows.length === 0 ? (
        <p className="compare-none">
          <PlainText text={t(`${kind}None`, names)} charactersMax={200} />
        </p>
      ) : (
        <table className="compare-table">
          <thead>
            <tr>
              <th scope="col">{t('issue')}</th>
              {[a, b].map((version) => (
                <th key={version} scope="col" className="number">
                  <PlainText text={short(version)} charactersMax={24} />
                </th>
              ))}
              <th scope="col" className="number compare-difference">
                {t('difference')}
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.issue.id}>
                <IssueCell organization={organization} row={row} places={places} />
                <Side version={a} side={row.a} basis={row.basis} words={words} />
                <Side version={b} side={row.b} basis={row.basis} words={words} />
                <Difference row={row} words={words} />
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}
