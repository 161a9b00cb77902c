import type { Alerts } from '../alert/alert.ts'
import { noticeMail } from '../alert/notice.ts'
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
  >
  alerts: Pick<Alerts, 'mail'>
  /** Origin of the web interface, without trailing slash. */
  url: string
}

const dueMax = 50
/** Delays after failed attempts. After the last one the mail is dropped: the issue itself shows the activity. */
const retryMs = [60_000, 600_000, 3_600_000] as const

/**
 * Sends mail to people who are mentioned in a comment, follow an issue or were assigned an issue. Without a mail
 * server, nothing is queued: a mentioned person finds the issue unread.
 */
export async function runNotices({ clock, meta, alerts, url }: NoticeDeps): Promise<{ mails: number }> {
  let mails = 0
  for (const due of await meta.issues.noticesDue(clock.now(), dueMax)) {
    const issue = await meta.issues.issueById(due.issueId)
    const activity = await meta.issues.activityById(due.activityId)
    const to = await meta.people.personById(due.userId)
    const organization = issue && (await meta.organizations.organizationById(issue.organizationId))
    // People who left the organization since get no mail.
    if (!issue || !activity || !to || !organization || !(await meta.organizations.memberOf(organization.id, to.id))) {
      await meta.issues.endNotice(due.id)
      continue
    }
    const by = activity.userId === null ? undefined : await meta.people.personById(activity.userId)
    const failure = await alerts.mail(noticeMail({ to, by, organization, issue, activity, kind: due.kind, url }))
    if (failure === undefined) mails++
    const pause = failure ? retryMs[due.attempts] : undefined
    if (pause === undefined) await meta.issues.endNotice(due.id)
    else await meta.issues.endNotice(due.id, clock.now() + pause)
  }
  return { mails }
}
