import { describe, expect, test } from 'vitest'
import { packDeadLetter, unpackDeadLetter } from './dead-letter.ts'
import type { RecordHead } from './journal.ts'

const head: RecordHead = {
  kind: 'envelope',
  receivedMs: 5,
  projectId: 1,
  organizationId: 2,
  keyId: 3,
  clientAddress: '',
  userAgent: 'x\ny',
  origin: '',
  contentType: '',
}
const body = Buffer.from('{"a":1}\n\nwith lines\n')

describe('a dead record', () => {
  test('comes back whole, and says how it was counted', () => {
    expect(unpackDeadLetter(packDeadLetter(head, body))).toEqual({
      head,
      body,
      count: { category: 'default', itemType: 'envelope' },
    })
    const count = { category: 'error', itemType: 'event' } as const
    expect(unpackDeadLetter(packDeadLetter({ ...head, only: 2 }, body, count))).toEqual({
      head: { ...head, only: 2 },
      body,
      count,
    })
  })

  test('forgets where its body lay and which dead item it was before', () => {
    const reopened = {
      id: 1,
      blobKey: 'dead/1',
      projectId: 1,
      keyId: 3,
      category: 'error',
      itemType: 'event',
      bytes: 1,
    }
    const found = unpackDeadLetter(
      packDeadLetter({ ...head, spool: { key: 'spool/a', bytes: 9 }, again: reopened as never }, body),
    )
    expect(found?.head).toEqual(head)
  })

  test.each([
    ['a row of an earlier version', '1\t2\t3\n'],
    ['nothing', ''],
    ['no line', '{"kind":"envelope"}'],
    ['null', 'null\nbody'],
    ['a number', '5\nbody'],
    ['no JSON', '{"kind":\nbody'],
    ['another thing', '{"kind":"outcomes"}\nbody'],
  ])('%s is none', (_name, text) => {
    expect(unpackDeadLetter(Buffer.from(text))).toBeUndefined()
  })
})
