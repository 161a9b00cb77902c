import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { putIssues, revert } from './change.ts'

type Call = { method: string; path: string; body: unknown }

/** A fake API: Bob has changed issue 7 in the meantime. */
function answers(calls: Call[]) {
  return async (url: string, { method = 'GET', body }: RequestInit): Promise<Response> => {
    const { pathname, searchParams } = new URL(url, 'http://localhost')
    const ids = searchParams.getAll('id')
    const path = pathname.replace('/api/0/organizations/acme/', '') + (ids.length ? ids.join() : '')
    calls.push({ method, path, body: typeof body === 'string' ? JSON.parse(body) : undefined })
    if (ids[0] === '7' && typeof body === 'string' && 'revision' in JSON.parse(body))
      return Response.json(
        { detail: 'Bob changed this.', code: 'CONFLICT', causes: [], current: { changedBy: { name: 'Bob' } } },
        { status: 409 },
      )
    return Response.json({ updated: ids, ...(ids.length >= 50 ? { bulk: { id: '3' } } : {}) })
  }
}

describe('a change that is taken back', () => {
  const calls: Call[] = []
  const was = (id: string, revision?: number) => ({ issue: { id, revision }, body: { status: 'unresolved' } })
  beforeEach(() => {
    calls.length = 0
    vi.stubGlobal('fetch', answers(calls))
  })
  afterEach(() => {
    vi.unstubAllGlobals()
  })

  it('goes with the revision that it made, and leaves what somebody has changed since', async () => {
    const sent = [{ ids: ['5', '7', '8'], bulkId: undefined }]
    expect(await revert('acme', sent, [was('5', 1), was('7', 2), was('8', 3)])).toEqual({ ids: ['7'], by: 'Bob' })
    expect(calls).toEqual([
      { method: 'PUT', path: 'issues/5', body: { status: 'unresolved', revision: 2 } },
      { method: 'PUT', path: 'issues/7', body: { status: 'unresolved', revision: 3 } },
      { method: 'PUT', path: 'issues/8', body: { status: 'unresolved', revision: 4 } },
    ])
  })

  it('goes without one where nobody can say which it made', async () => {
    expect(await revert('acme', [{ ids: ['7'], bulkId: undefined }], [was('7')])).toEqual({ ids: [], by: null })
    expect(calls).toEqual([{ method: 'PUT', path: 'issues/7', body: { status: 'unresolved' } }])
  })

  it('of many is the server’s, which knows what each was', async () => {
    const ids = Array.from({ length: 120 }, (_, at) => `${at + 100}`)
    const sent = await putIssues('acme', ids, { status: 'resolved' })
    expect(sent.map((item) => [item.ids.length, item.bulkId])).toEqual([
      [100, '3'],
      [20, undefined],
    ])
    calls.length = 0
    const all = ids.map((id) => was(id, 1))
    await revert('acme', sent, all)
    expect(calls[0]).toEqual({ method: 'POST', path: 'issue-changes/3/undo/', body: undefined })
    expect(calls.slice(1).map((call) => call.path)).toEqual(ids.slice(100).map((id) => `issues/${id}`))
  })

  it('fails where the server does', async () => {
    vi.stubGlobal('fetch', async () => Response.json({ detail: 'No.', code: 'AUTH_FORBIDDEN' }, { status: 403 }))
    await expect(revert('acme', [{ ids: ['5'], bulkId: undefined }], [was('5', 1)])).rejects.toThrow('No.')
  })
})
