import type { RestFeedback } from '../../contract/feedback.ts'
import type { Feedback } from '../../store/meta/issues/feedback.ts'
import type { MetaStore } from '../../store/meta/meta-store.ts'

/** Converts feedback to the shape of the API and screens. Rows of deleted projects are left out. */
export async function toRestFeedback(
  { meta }: { meta: MetaStore },
  rows: readonly Feedback[],
): Promise<RestFeedback[]> {
  return (
    await Array.fromAsync(rows, async (row) => {
      const project = await meta.projects.projectById(row.projectId)
      if (!project) return []
      const issue = row.issueId === null ? undefined : await meta.issues.issueById(row.issueId)
      const attachments =
        row.kind === 'feedback' ? await meta.attachments.attachmentsOf(row.projectId, row.feedbackId) : []
      return [
        {
          id: String(row.id),
          feedbackID: row.feedbackId,
          kind: row.kind,
          project: { id: String(project.id), slug: project.slug, name: project.name },
          name: row.name,
          email: row.email,
          message: row.message,
          url: row.url,
          eventID: row.eventId || null,
          issue: issue ? { id: String(issue.id), shortId: issue.shortId } : null,
          environment: row.environment,
          release: row.release,
          status: row.state,
          dateCreated: new Date(row.receivedMs).toISOString(),
          attachments: attachments.map(({ id, name, contentType, bytes }) => ({
            id: String(id),
            name,
            mimetype: contentType || 'application/octet-stream',
            size: bytes,
          })),
        },
      ]
    })
  ).flat()
}
