import type { JournalRecord } from '../src/journal/journal.ts'
import { plainSettings } from '../src/refine/pipeline/fixture.cases.ts'
import type { BlobStore } from '../src/store/blobs/blobs.ts'

const unused = () => Promise.reject(new Error('no blobs here'))
/** A store that takes attachments and forgets them. */
export const noBlobs: BlobStore = {
  put: async () => undefined,
  putStream: unused,
  get: unused,
  getStream: unused,
  reader: unused,
  delete: unused,
  list: unused,
  size: unused,
  isRemote: false,
  ping: unused,
  sweep: unused,
}

type Sent = { jpos: number; receivedMs: number; userAgent?: string }

/** A body as the journal has it after ingest. */
export const recordOf = (body: Buffer, { jpos, receivedMs, userAgent = '' }: Sent): JournalRecord => ({
  jpos,
  end: jpos + body.length,
  head: {
    kind: 'envelope',
    receivedMs,
    projectId: plainSettings.projectId,
    organizationId: 1,
    keyId: 3,
    clientAddress: '203.0.113.9',
    userAgent,
    origin: '',
    contentType: 'text/plain',
  },
  body,
})
