import { describe, expect, it } from 'vitest'
import type { RestIssue } from '../../contract/issues.ts'
import { sampleIssue } from '../panels/issue/sample.cases.ts'
import { statusesOf, withStatus } from './issue-status.ts'

const issue = (id: string, value: Partial<RestIssue> = {}) => sampleIssue({ id, shortId: `WEB-${id}`, ...value })

describe('status', () => {
  it('changes status and substatus', () => {
    const row = issue('1')
    expect(withStatus(row, { status: 'unresolved' })).toBe(row)
    expect(withStatus(row, { status: 'resolved' })).toMatchObject({ status: 'resolved', substatus: null })
    const archived = issue('1', { status: 'ignored', substatus: null })
    expect(withStatus(archived, { status: 'unresolved' })).toMatchObject({ substatus: 'ongoing' })
    expect(withStatus(archived, { status: 'unresolved', substatus: 'new' })).toMatchObject({ substatus: 'new' })
    expect(withStatus(row, { status: 'resolved', substatus: 'new' })).toMatchObject({ substatus: null })
    const until = { ignoreCount: 10 }
    const waiting = withStatus(row, {
      status: 'ignored' as const,
      substatus: 'archived_until_condition_met' as const,
      statusDetails: until,
    })
    expect(waiting).toMatchObject({ substatus: 'archived_until_condition_met', statusDetails: until })
    expect(withStatus(waiting, { status: 'ignored', substatus: 'archived_forever' })).not.toBe(waiting)
  })
  it('remembers what was', () => {
    const rows = [
      issue('1', { revision: 11, substatus: 'ongoing' }),
      issue('2', { revision: 12, status: 'resolved', substatus: null }),
      issue('3', { revision: 13, substatus: 'ongoing' }),
      issue('4'),
      issue('5', { revision: 15, substatus: 'new' }),
    ]
    const shown = (...ids: string[]) => ids.map((id) => ({ id, revision: Number(id) + 10 }))
    expect(statusesOf(rows, new Set(['1', '2', '3', '5']))).toEqual([
      { was: { status: 'unresolved', substatus: 'ongoing', statusDetails: {} }, issues: shown('1', '3') },
      { was: { status: 'resolved', substatus: null, statusDetails: {} }, issues: shown('2') },
      { was: { status: 'unresolved', substatus: 'new', statusDetails: {} }, issues: shown('5') },
    ])
  })
})
