import type { Alerts } from '../alert/alert.ts'
import { noticeMail, noticePush } from '../alert/notice.ts'
import { pushRecipient } from '../alert/person-receivers.ts'
import { whereToReach } from '../alert/personal.ts'
import type { Clock } from '../base/clock.ts'
import type { Place } from '../domain/alerts/personal.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'

type NoticeDeps = {
  clock: Clock
  meta: MetaWith<
    | 'issues.noticesDue'
    | 'issues.endNotice'
    | 'issues.issueById'
    | 'organizations.organizationById'
    | 'issues.activityById'
    | 'people.personById'
    | 'organizations.memberOf'
    | 'issues.delayNotice'
    | 'issues.splitNotice'
    | 'pushBrowsers.browsersOf'
    | 'personal.personalSettingsOf'
  >
  seal: { seal(text: string): string }
  alerts: Pick<Alerts, 'mail' | 'push'>
  /** Origin of the web interface, without trailing slash. */
  url: string
}

const dueMax = 50
/** The setting that decides about each kind of mail. */
const reasons = { mention: 'mention', comment: 'followed', assigned: 'assigned' } as const
/** Delays after failed attempts. After the last one the mail is dropped: the issue itself shows the activity. */
const retryMs = [60_000, 600_000, 3_600_000] as const

type Notice = Awaited<ReturnType<NoticeDeps['meta']['issues']['noticesDue']>>[number]

/** Where a notice goes: 'email' and browsers. */
async function placesOf({ meta }: NoticeDeps, userId: string, wanted: readonly Place[]): Promise<string[]> {
  const browsers = wanted.includes('push') ? await meta.pushBrowsers.browsersOf([userId]) : []
  return [...(wanted.includes('email') ? ['email'] : []), ...browsers.map(({ id }) => pushRecipient(id))]
}

/** Decides where the notices of these that have no place yet go. Those in quiet hours decide afterwards. */
async function splitAll(deps: NoticeDeps, notices: readonly Notice[]): Promise<void> {
  const { meta, clock } = deps
  for (const due of notices.filter(({ place }) => place === '')) {
    const issue = await meta.issues.issueById(due.issueId)
    const reach =
      issue && (await whereToReach(deps, due.userId, { ...issue, kind: reasons[due.kind], isCritical: false }))
    if (reach && reach.notBeforeMs > clock.now()) await meta.issues.delayNotice(due.id, reach.notBeforeMs)
    else await meta.issues.splitNotice(due.id, await placesOf(deps, due.userId, reach?.places ?? []))
  }
}

/**
 * Sends mails and push messages to people who are mentioned in a comment, follow an issue or were assigned an issue.
 * Without a mail server mails are dropped: a mentioned person finds the issue unread.
 */
export async function runNotices(deps: NoticeDeps): Promise<{ mails: number; pushed: number }> {
  const { clock, meta, alerts, url } = deps
  const sent = { mails: 0, pushed: 0 }
  const queued = await meta.issues.noticesDue(clock.now(), dueMax)
  if (queued.length === 0) return sent
  await splitAll(deps, queued)
  for (const due of await meta.issues.noticesDue(clock.now(), dueMax)) {
    // Queued since: the next run decides where it goes.
    if (due.place === '') continue
    const issue = await meta.issues.issueById(due.issueId)
    const activity = await meta.issues.activityById(due.activityId)
    const organization = issue && (await meta.organizations.organizationById(issue.organizationId))
    const reach =
      issue && (await whereToReach(deps, due.userId, { ...issue, kind: reasons[due.kind], isCritical: false }))
    const isPush = due.place !== 'email'
    // People who left the organization since, or do not want these messages, get none.
    if (!issue || !activity || !organization || !reach?.places.includes(isPush ? 'push' : 'email')) {
      await meta.issues.endNotice(due.id)
      continue
    }
    if (reach.notBeforeMs > clock.now()) {
      await meta.issues.delayNotice(due.id, reach.notBeforeMs)
      continue
    }
    const by = activity.userId === null ? undefined : await meta.people.personById(activity.userId)
    const { person: to, unsubscribe } = reach
    const parts = { to, by, organization, issue, activity, kind: due.kind, url, unsubscribe }
    const failure = isPush
      ? await alerts.push(due.place, noticePush({ ...parts, id: due.id }))
      : await alerts.mail({ ...noticeMail(parts), id: `notice-${due.id}` })
    if (failure === undefined) sent[isPush ? 'pushed' : 'mails']++
    const pause = failure ? retryMs[due.attempts] : undefined
    if (pause === undefined) await meta.issues.endNotice(due.id)
    else await meta.issues.endNotice(due.id, clock.now() + pause)
  }
  return sent
}
