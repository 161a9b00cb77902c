import { MishapError } from '../../base/errors.ts'
import type { RestDeadLetter, RestDeadLetterContent } from '../../contract/dead-letters.ts'
import type { App } from '../../processes/parts.ts'
import type { DeadLetter, Organization } from '../../store/meta/meta.ts'

/** Maximum dead letters in a list. They are rare, or a fault shows in the newest ones. */
const listMax = 200
/** Maximum displayed bytes of a record. */
const previewBytesMax = 16 * 1024

type StoredDeadLetter = DeadLetter & { id: number }

async function toRest(app: App, organization: Organization, letter: StoredDeadLetter): Promise<RestDeadLetter> {
  const project = (await app.meta.projects.projectsOf(organization.id)).find(
    (candidate) => candidate.id === letter.projectId,
  )
  const key = (await app.meta.projects.keysOf(letter.projectId)).find((candidate) => candidate.id === letter.keyId)
  return {
    id: String(letter.id),
    project: { id: String(letter.projectId), slug: project?.slug ?? '' },
    key: letter.keyId === 0 ? null : { id: String(letter.keyId), label: key?.label ?? '' },
    receivedAt: new Date(letter.receivedMs).toISOString(),
    reason: letter.reason,
    bytes: letter.bytes,
  }
}

/** Returns dead letters of the projects of an organization, newest first. */
export async function deadLettersOf(app: App, organization: Organization): Promise<RestDeadLetter[]> {
  const projectIds = (await app.meta.projects.projectsOf(organization.id)).map((project) => project.id)
  return await Array.fromAsync(await app.meta.ledger.deadLetters(listMax, projectIds), async (letter) =>
    toRest(app, organization, letter),
  )
}

/** Returns the dead letter with this id in the organization. Throws NOT_FOUND. */
export async function deadLetterOf(
  app: App,
  organization: Organization,
  id: string | undefined,
): Promise<StoredDeadLetter> {
  const letter = /^\d{1,15}$/.test(id ?? '') ? await app.meta.ledger.deadLetterById(Number(id)) : undefined
  if (!letter || (await app.meta.projects.projectById(letter.projectId))?.organizationId !== organization.id)
    throw new MishapError('NOT_FOUND')
  return letter
}

/** Returns the first 16 KiB of a dead letter as text: request details on one line, then the unscrubbed body. */
export async function previewDeadLetter(
  app: App,
  organization: Organization,
  letter: StoredDeadLetter,
): Promise<RestDeadLetterContent> {
  const stream = await app.blobs.getStream(letter.blobKey)
  if (!stream) throw new MishapError('NOT_FOUND', { detail: 'The stored record of this dead letter is gone.' })
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of stream.stream) {
    parts.push(part)
    bytes += part.length
    if (bytes >= previewBytesMax) break
  }
  const start = Buffer.concat(parts).subarray(0, previewBytesMax)
  return {
    ...(await toRest(app, organization, letter)),
    text: start.toString(),
    textBytes: start.length,
    totalBytes: stream.bytes,
  }
}
