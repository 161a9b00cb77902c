import type { Alerts } from '../alert/alert.ts'
import { unsubscribeLink } from '../alert/personal.ts'
import { digestMail, type ProjectDigest, reportMail } from '../alert/summary-mails.ts'
import type { Clock } from '../base/clock.ts'
import { reportOf } from '../domain/alerts/alert-report.ts'
import { nextSummaryMs, type PersonalSettings, paceOf, quietUntil } from '../domain/alerts/personal.ts'
import type { EventStore } from '../store/events/event-store.ts'
import type { Organization, Person, Project } from '../store/meta/meta.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'
import type { PersonalMail } from '../store/meta/personal/personal.ts'

type MailDeps = {
  clock: Clock
  meta: MetaStore
  events: Pick<EventStore, 'groups'>
  alerts: Pick<Alerts, 'mail'>
  seal: { seal(text: string): string }
  /** Origin of the web interface, without trailing slash. */
  url: string
  /** The projects whose issues a person can read. */
  projectsFor(person: Person, organization: Organization): Promise<Project[]>
}

const dayMs = 86_400_000
const dueMax = 50
/** Delays after failed attempts. After the last delay, the next mail continues where this mail would have begun. */
const retryMs = [600_000, 1_800_000, 3_600_000, 10_800_000] as const
/** After an outage, a mail does not list more than that. */
const spanMaxMs = 31 * dayMs
const projectsMax = 10
const issuesMax = 5
const messagesMax = 20_000
const rulesMax = 30

type Request = { mail: PersonalMail; organization: Organization; person: Person; settings: PersonalSettings }
type Content = { subject: string; text: string; html: string }
type Span = { fromMs: number; toMs: number }

async function projectDigest({ meta, events }: MailDeps, project: Project, span: Span): Promise<ProjectDigest> {
  const found = await meta.personal.digestOf(project.id, span, issuesMax)
  const scope = { projectIds: [project.id], environments: [], ...span }
  const groups = await events.groups({ scope, order: 'events', max: 3 * issuesMax })
  const ids = await meta.issues.issueIdsOf(groups)
  const eventsOf = new Map<number, number>()
  for (const { projectId, groupHash, events: count } of groups) {
    const id = ids.get(`${projectId}:${groupHash}`)
    if (id !== undefined) eventsOf.set(id, (eventsOf.get(id) ?? 0) + count)
  }
  const frequent = await meta.issues.issuesByIds([...eventsOf.keys()].slice(0, issuesMax))
  frequent.sort((a, b) => (eventsOf.get(b.id) ?? 0) - (eventsOf.get(a.id) ?? 0))
  const named = [
    ...found.new.issues.map((issue) => ({ word: 'New' as const, issue })),
    ...found.regressed.issues.map((issue) => ({ word: 'Regressed' as const, issue })),
    ...frequent.map((issue) => ({ word: 'Frequent' as const, issue })),
    ...found.resolved.issues.map((issue) => ({ word: 'Resolved' as const, issue })),
  ]
  const once = [...new Map(named.toReversed().map((item) => [item.issue.id, item])).values()].toReversed()
  return {
    project,
    counts: { new: found.new.count, regressed: found.regressed.count, resolved: found.resolved.count },
    issues: once.map((item) => ({ ...item, events: eventsOf.get(item.issue.id) ?? null })),
  }
}

/** Returns the digest; undefined if nothing happened. */
async function digestOf(deps: MailDeps, request: Request, span: Span): Promise<Content | undefined> {
  const { organization, person } = request
  const digests: ProjectDigest[] = []
  for (const project of await deps.projectsFor(person, organization)) {
    if (request.settings.projects[project.id] === 'none') continue
    const digest = await projectDigest(deps, project, span)
    if (digest.issues.length > 0) digests.push(digest)
  }
  if (digests.length === 0) return undefined
  digests.sort((a, b) => b.counts.new + b.counts.regressed - (a.counts.new + a.counts.regressed))
  return digestMail(partsOf(deps, request, span), digests.slice(0, projectsMax))
}

/** Returns the weekly report; undefined if nothing was sent. It ends a day ago, so that each message had its day. */
async function weeklyReport(deps: MailDeps, request: Request, { fromMs, toMs }: Span): Promise<Content | undefined> {
  const { meta } = deps
  const { organization } = request
  const span = { fromMs: fromMs - dayMs, toMs: toMs - dayMs }
  const sent = await meta.personal.messagesSent(organization.id, span, messagesMax)
  if (sent.length === 0) return undefined
  const issueIds = [...new Set(sent.flatMap((message) => message.issueIds))]
  const incidentIds = [...new Set(sent.flatMap(({ incidentId }) => incidentId ?? []))]
  const actions = await meta.personal.actionsOn(issueIds, { fromMs: span.fromMs, toMs })
  const report = reportOf(sent, actions, await meta.personal.acknowledgementsOf(incidentIds)).slice(0, rulesMax)
  const names = new Map<number, string>()
  for (const { ruleId } of report) {
    const rule = ruleId === null ? undefined : await meta.alertRules.alertRuleById(ruleId)
    if (rule) names.set(rule.id, rule.name)
  }
  return reportMail(partsOf(deps, request, span), report, names)
}

const partsOf = ({ seal, url }: MailDeps, { mail, organization, settings }: Request, span: Span) => ({
  organization,
  url,
  unsubscribe: unsubscribeLink({ seal, url }, mail),
  timeZone: settings.timeZone,
  ...span,
})

/** Sends one mail. Returns whether it left. */
async function sendOne(deps: MailDeps, request: Request, pace: 'daily' | 'weekly'): Promise<boolean> {
  const { mail, organization, person, settings } = request
  const nowMs = deps.clock.now()
  const quietEndMs = quietUntil(settings, nowMs)
  if (quietEndMs > nowMs) {
    await deps.meta.personal.endPersonalMail(mail, { retryMs: quietEndMs })
    return false
  }
  const span = { fromMs: Math.max(mail.coveredMs, nowMs - spanMaxMs), toMs: nowMs }
  const content = await (mail.kind === 'digest' ? digestOf : weeklyReport)(deps, request, span)
  const unsubscribe = unsubscribeLink(deps, mail)
  // A repeat after a crash has the same id, so mail clients show it once.
  const id = `${mail.kind}-${organization.id}-${person.id}-${mail.nextMs}`
  const failure = content && (await deps.alerts.mail({ to: person.email, ...content, unsubscribe, id }))
  const pause = failure ? retryMs[mail.attempts] : undefined
  if (pause !== undefined) {
    await deps.meta.personal.endPersonalMail(mail, { retryMs: nowMs + pause })
    return false
  }
  const nextMs = nextSummaryMs(pace, settings.timeZone, nowMs)
  await deps.meta.personal.endPersonalMail(mail, { nextMs, coveredMs: failure ? mail.coveredMs : nowMs })
  return content !== undefined && failure === undefined
}

/**
 * Sends the digests and weekly reports that are due. Each is due once: its next time is stored when it has left, so one
 * that was missed while Mishap was down is sent once, about the whole time.
 */
export async function runPersonalMails(deps: MailDeps): Promise<{ mails: number }> {
  const { meta, clock } = deps
  let mails = 0
  for (const mail of await meta.personal.personalMailsDue(clock.now(), dueMax)) {
    const { organizationId, userId, kind } = mail
    const organization = await meta.organizations.organizationById(organizationId)
    const person = await meta.people.personById(userId)
    const { settings } = await meta.personal.personalSettingsOf(organizationId, userId)
    const pace = paceOf(settings, kind)
    if (!organization || !person || !pace || !(await meta.organizations.memberOf(organizationId, userId))) {
      await meta.personal.dropPersonalMail(mail)
      continue
    }
    if (await sendOne(deps, { mail, organization, person, settings }, pace)) mails++
  }
  return { mails }
}
