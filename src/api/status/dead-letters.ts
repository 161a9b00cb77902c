import { MishapError } from '../../base/errors.ts'
import type { RestDeadContent, RestDeadItem } from '../../contract/dead-letters.ts'
import type { App } from '../../processes/parts.ts'
import type { DeadLetter, Organization } from '../../store/meta/meta.ts'

/** Maximum dead letters in a list. They are rare, or a fault shows in the newest ones. */
const listMax = 200
/** Maximum displayed bytes of a record. */
const lookBytesMax = 16 * 1024

type Kept = DeadLetter & { id: number }

function toRest(app: App, organization: Organization, item: Kept): RestDeadItem {
  const project = app.meta.projectsOf(organization.id).find((entry) => entry.id === item.projectId)
  const key = app.meta.keysOf(item.projectId).find((entry) => entry.id === item.keyId)
  return {
    id: String(item.id),
    project: { id: String(item.projectId), slug: project?.slug ?? '' },
    key: item.keyId === 0 ? null : { id: String(item.keyId), label: key?.label ?? '' },
    receivedAt: new Date(item.receivedMs).toISOString(),
    reason: item.reason,
    bytes: item.bytes,
  }
}

/** Returns dead letters of the projects of an organization, newest first. */
export function deadItemsOf(app: App, organization: Organization): RestDeadItem[] {
  const projectIds = app.meta.projectsOf(organization.id).map((project) => project.id)
  return app.meta.deadItems(listMax, projectIds).map((item) => toRest(app, organization, item))
}

/** Returns the dead letter with this id in the organization. Throws NOT_FOUND. */
export function deadItemOf(app: App, organization: Organization, id: string | undefined): Kept {
  const item = /^\d{1,15}$/.test(id ?? '') ? app.meta.deadItemById(Number(id)) : undefined
  if (!item || app.meta.projectById(item.projectId)?.organizationId !== organization.id)
    throw new MishapError('NOT_FOUND')
  return item
}

/** Returns the first 16 KiB of a dead letter as text: request details on one line, then the unscrubbed body. */
export async function lookAtDead(app: App, organization: Organization, item: Kept): Promise<RestDeadContent> {
  const kept = await app.blobs.getStream(item.blobKey)
  if (!kept) throw new MishapError('NOT_FOUND', { detail: 'The stored record of this dead letter is gone.' })
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of kept.stream) {
    parts.push(part)
    bytes += part.length
    if (bytes >= lookBytesMax) break
  }
  const start = Buffer.concat(parts).subarray(0, lookBytesMax)
  return { ...toRest(app, organization, item), text: start.toString(), textBytes: start.length, totalBytes: kept.bytes }
}
