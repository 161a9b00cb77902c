import { expect, test } from 'vitest'
import { commit, effect, hash, nowMs } from '../fixture.cases.ts'
import type { EventEffect, IssueFilter } from '../meta.ts'
import type { MetaStore } from '../meta-store.ts'
import { leaving } from './merge.cases.ts'

const arrive = (meta: MetaStore, hashes: string[], change: Partial<EventEffect> = {}) =>
  commit(meta, { events: [effect({ hashes, ...change })] })
const by = { userId: 'ann' }
const named = (...userIds: string[]) => userIds.map((userId) => ({ userId, rule: 'path:*' }))
const found = async (meta: MetaStore, filter: IssueFilter) =>
  (await meta.issues.listIssues({ projectIds: [1], filter, sort: 'last', max: 9 })).map((issue) => issue.id).sort()

/** Cases of suggested owners, for every store. */
export function suggestionCases(fresh: () => Promise<MetaStore>): void {
  const three = async () => {
    const meta = await fresh()
    for (const n of [1, 2, 3]) await arrive(meta, [hash(n)])
    return meta
  }

  test('suggestions stand in the order of the rule, are replaced, and go with their issue', async () => {
    const meta = await three()
    const all = new Map([
      [1, named('bob', 'ann')],
      [2, []],
      [9, named('bob')],
    ])
    expect(await meta.issues.suggest(all)).toEqual(new Set([1]))
    expect(await meta.issues.suggest(all)).toEqual(new Set())
    expect((await meta.issues.suggestionsOf(1)).map((suggestion) => suggestion.userId)).toEqual(['bob', 'ann'])
    expect(await meta.issues.firstSuggestionsOf([1, 2, 3])).toEqual(new Map([[1, { userId: 'bob', rule: 'path:*' }]]))
    expect(await meta.issues.firstSuggestionsOf([])).toEqual(new Map())
    expect(await meta.issues.suggest(new Map([[1, named('ann', 'bob')]]))).toEqual(new Set([1]))
    expect(await meta.issues.suggestionsOf(1)).toEqual(named('ann', 'bob'))
    await meta.merges.mergeIssues(2, [1], null, nowMs)
    expect(await found(meta, { op: 'suggested', userId: 'any' })).toEqual([])
  })

  test.each<[IssueFilter, number[]]>([
    [{ op: 'suggested', userId: 'bob' }, [1, 2]],
    [{ op: 'suggested', userId: 'ann' }, [1]],
    [{ op: 'suggested', userId: 'any' }, [1, 2]],
    [{ op: 'not', of: { op: 'suggested', userId: 'any' } }, [3]],
    [{ op: 'suggested', userId: 'eve' }, []],
  ])('search: %j', async (filter, ids) => {
    const meta = await three()
    await meta.issues.suggest(
      new Map([
        [1, named('bob', 'ann')],
        [2, named('bob')],
      ]),
    )
    expect(await found(meta, filter)).toEqual(ids)
    expect(await meta.issues.countIssues({ projectIds: [1], filter })).toBe(ids.length)
  })

  test('changed rules have every issue looked at again, the youngest first; the same ones none', async () => {
    const meta = await three()
    expect(await meta.issues.suggestionsDue(2)).toBeUndefined()
    await meta.projects.setOwnership(1, { text: 'path:* a@b.c' }, by, nowMs)
    const early = await meta.issues.suggestionsDue(2)
    await meta.projects.setOwnership(1, { text: 'path:*.ts a@b.c' }, by, nowMs)
    // The first step was made by the old rules.
    if (early) await meta.issues.endSuggestionsDue(early)
    const first = await meta.issues.suggestionsDue(2)
    expect(first).toEqual({ projectId: 1, issueIds: [3, 2], sweepId: 3, rules: 'path:*.ts a@b.c' })
    if (first) await meta.issues.endSuggestionsDue(first)
    const second = await meta.issues.suggestionsDue(2)
    expect(second?.issueIds).toEqual([1])
    // The rules changed during the check, so the old run must not end the new one.
    await meta.projects.setOwnership(1, { text: 'path:x a@b.c' }, by, nowMs)
    if (second) await meta.issues.endSuggestionsDue(second)
    expect((await meta.issues.suggestionsDue(9))?.issueIds).toEqual([3, 2, 1])
    for (let due = await meta.issues.suggestionsDue(2); due; due = await meta.issues.suggestionsDue(2))
      await meta.issues.endSuggestionsDue(due)
    await meta.projects.setOwnership(1, { text: 'path:x a@b.c', autoAssign: false }, by, nowMs)
    expect(await meta.issues.suggestionsDue(9)).toBeUndefined()
  })

  test('who leaves is suggested no more; who joins has the rules asked again', async () => {
    const meta = await three()
    await meta.projects.setOwnership(1, { text: 'path:* a@b.c' }, by, nowMs)
    for (let due = await meta.issues.suggestionsDue(9); due; due = await meta.issues.suggestionsDue(9))
      await meta.issues.endSuggestionsDue(due)
    const invited = { organizationId: 1, email: 'a@b.c', role: 'member' as const, invitedBy: 'ann', secret: 's', nowMs }
    await meta.organizations.acceptInvitation((await meta.organizations.invite(invited)).id, 'bob', nowMs)
    expect((await meta.issues.suggestionsDue(9))?.issueIds).toEqual([3, 2, 1])
    await meta.issues.suggest(new Map([[1, named('bob', 'ann')]]))
    await meta.organizations.endMembership(1, 'bob')
    expect(await meta.issues.suggestionsOf(1)).toEqual(named('ann'))
  })

  test('issues that come back are looked at though somebody has them, and what is taken out of a merged one', async () => {
    const meta = await three()
    await meta.merges.mergeIssues(1, [2], null, nowMs)
    await meta.projects.setOwnership(1, { text: 'path:* a@b.c', autoAssign: false }, by, nowMs)
    await meta.issues.updateIssue(3, { assigneeUserId: 'ann' }, 'ann', nowMs)
    await meta.issues.updateIssue(3, { status: 'resolved' }, 'ann', nowMs)
    await arrive(meta, [hash(3)], { timestampMs: nowMs + 9, receivedMs: nowMs + 9, eventId: 'b'.repeat(32) })
    await meta.merges.unmergeHashes(1, leaving([hash(2)], 1), null, nowMs + 20)
    expect((await meta.projects.ownersDue(9)).map((item) => [item.issueId, item.eventId])).toEqual([
      [3, 'b'.repeat(32)],
      [2, ''],
    ])
  })
}
