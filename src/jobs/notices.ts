import type { Alerts } from '../alert/alert.ts'
import { noticeMail } from '../alert/notice.ts'
import { whereToReach } from '../alert/personal.ts'
import type { Clock } from '../base/clock.ts'
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
    | 'personal.personalSettingsOf'
  >
  seal: { seal(text: string): string }
  alerts: Pick<Alerts, 'mail'>
  /** Origin of the web interface, without trailing slash. */
  url: string
}

const dueMax = 50
/** The setting that decides about each kind of mail. */
const reasons = { mention: 'mention', comment: 'followed', assigned: 'assigned' } as const
/** Delays after failed attempts. After the last one the mail is dropped: the issue itself shows the activity. */
const retryMs = [60_000, 600_000, 3_600_000] as const

/**
 * Sends mail to people who are mentioned in a comment, follow an issue or were assigned an issue. Without a mail
 * server, nothing is queued: a mentioned person finds the issue unread.
 */
export async function runNotices(deps: NoticeDeps): Promise<{ mails: number }> {
  const { clock, meta, alerts, url } = deps
  let mails = 0
  for (const due of await meta.issues.noticesDue(clock.now(), dueMax)) {
    const issue = await meta.issues.issueById(due.issueId)
    const activity = await meta.issues.activityById(due.activityId)
    const organization = issue && (await meta.organizations.organizationById(issue.organizationId))
    const reach =
      issue && (await whereToReach(deps, due.userId, { ...issue, kind: reasons[due.kind], isCritical: false }))
    // People who left the organization since, or do not want these mails, get none.
    if (!issue || !activity || !organization || !reach) {
      await meta.issues.endNotice(due.id)
      continue
    }
    if (reach.notBeforeMs > clock.now()) {
      await meta.issues.delayNotice(due.id, reach.notBeforeMs)
      continue
    }
    const by = activity.userId === null ? undefined : await meta.people.personById(activity.userId)
    const { person: to, unsubscribe } = reach
    const mail = noticeMail({ to, by, organization, issue, activity, kind: due.kind, url, unsubscribe })
    const failure = await alerts.mail({ ...mail, id: `notice-${due.id}` })
    if (failure === undefined) mails++
    const pause = failure ? retryMs[due.attempts] : undefined
    if (pause === undefined) await meta.issues.endNotice(due.id)
    else await meta.issues.endNotice(due.id, clock.now() + pause)
  }
  return { mails }
}
