import type { RuleReport } from '../domain/alerts/alert-report.ts'
import type { Issue, Organization, Project } from '../store/meta/meta.ts'
import { type Block, renderMail } from './mail/document.ts'
import { issueUrl, line } from './message/message.ts'
import { unsubscribePage } from './personal.ts'

/** What happened in one project. */
export type ProjectDigest = {
  project: Pick<Project, 'slug'>
  counts: Record<'new' | 'regressed' | 'resolved', number>
  /** Each issue once, under the first word that applies. */
  issues: { word: 'New' | 'Regressed' | 'Frequent' | 'Resolved'; issue: Issue; events: number | null }[]
}

type Parts = {
  organization: Organization
  url: string
  unsubscribe: string
  fromMs: number
  toMs: number
  timeZone: string
}

const dayOf = (ms: number, timeZone: string) =>
  new Intl.DateTimeFormat('en', { timeZone, day: 'numeric', month: 'short' }).format(ms)
const spanOf = ({ fromMs, toMs, timeZone }: Parts) => `${dayOf(fromMs, timeZone)} to ${dayOf(toMs, timeZone)}`

/** Returns the digest mail. */
export function digestMail(parts: Parts, projects: readonly ProjectDigest[]) {
  const { organization, unsubscribe } = parts
  const sum = (key: keyof ProjectDigest['counts']) => projects.reduce((all, { counts }) => all + counts[key], 0)
  return renderMail({
    subject: `Digest of ${line(organization.name, 64)}: ${sum('new')} new, ${sum('regressed')} regressed, ${sum('resolved')} resolved`,
    level: 'info',
    blocks: [
      { kind: 'text', text: `${spanOf(parts)}.` },
      ...projects.flatMap(({ project, counts, issues }): Block[] => [
        { kind: 'heading', text: line(project.slug, 50) },
        { kind: 'text', text: `${counts.new} new, ${counts.regressed} regressed, ${counts.resolved} resolved` },
        ...issues.map(
          ({ word, issue, events }): Block => ({
            kind: 'item',
            title: `${word} ${issue.shortId}: ${line(issue.title, 120)}`,
            href: issueUrl(parts, issue),
            lines: [
              ...(issue.culprit ? [`in ${line(issue.culprit, 120)}`] : []),
              events === null ? `${issue.count} events in all` : `${events} events in this time`,
            ],
          }),
        ),
      ]),
    ],
    footer: [],
    unsubscribe: unsubscribePage(unsubscribe),
  })
}

/** Returns the weekly report of what was sent. `names`: of the rules that still exist. */
export function reportMail(parts: Parts, rules: readonly RuleReport[], names: ReadonlyMap<number, string>) {
  const { organization, url, unsubscribe } = parts
  const sum = (key: 'sent' | 'useful' | 'ignored' | 'unacknowledged') => rules.reduce((all, rule) => all + rule[key], 0)
  const alerts = `${url}/o/${organization.slug}/alerts`
  return renderMail({
    subject: `Notifications of ${line(organization.name, 64)}: ${sum('useful')} of ${sum('sent')} were useful`,
    level: 'info',
    blocks: [
      {
        kind: 'text',
        text: `${spanOf(parts)}. A message is useful if somebody acted on its issue or acknowledged its incident within a day.`,
      },
      {
        kind: 'facts',
        rows: [
          ['Sent', String(sum('sent'))],
          ['Useful', String(sum('useful'))],
          ['Ignored', String(sum('ignored'))],
          ['Never acknowledged', String(sum('unacknowledged'))],
        ],
      },
      ...rules.map(({ ruleId, sent, useful, ignored, proposal }): Block => {
        const name = ruleId === null ? 'Built-in notifications' : names.get(ruleId)
        return {
          kind: 'item',
          title: line(name ?? 'A rule that was deleted', 120),
          href: ruleId === null || name === undefined ? alerts : `${alerts}/${ruleId}`,
          lines: [`${sent} sent, ${useful} useful, ${ignored} ignored`, ...(proposal ? [`Proposal: ${proposal}`] : [])],
        }
      }),
    ],
    footer: [],
    unsubscribe: unsubscribePage(unsubscribe),
  })
}
