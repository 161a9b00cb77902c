import type { RestFeedback } from '../contract/rest.ts'
import type { Feedback } from '../store/meta/issues/feedback.ts'
import type { MetaStore } from '../store/meta/meta.ts'

/** Feedback in the shape of the API and the screens; rows of a project that is gone are left out. */
export function toRestFeedback({ meta }: { meta: MetaStore }, rows: readonly Feedback[]): RestFeedback[] {
  return rows.flatMap((one) => {
    const project = meta.projectById(one.projectId)
    if (!project) return []
    const issue = one.issueId === null ? undefined : meta.issueById(one.issueId)
    const attachments = one.kind === 'feedback' ? meta.attachmentsOf(one.projectId, one.feedbackId) : []
    return [
      {
        id: String(one.id),
        feedbackID: one.feedbackId,
        kind: one.kind,
        project: { id: String(project.id), slug: project.slug, name: project.name },
        name: one.name,
        email: one.email,
        message: one.message,
        url: one.url,
        eventID: one.eventId || null,
        issue: issue ? { id: String(issue.id), shortId: issue.shortId } : null,
        environment: one.environment,
        release: one.release,
        status: one.state,
        dateCreated: new Date(one.receivedMs).toISOString(),
        attachments: attachments.map(({ id, name, contentType, bytes }) => ({
          id: String(id),
          name,
          mimetype: contentType || 'application/octet-stream',
          size: bytes,
        })),
      },
    ]
  })
}
