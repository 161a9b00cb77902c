import { describe, expect, test } from 'vitest'
import { codeOf, commit, effect, hash, nowMs, stored } from './fixture.cases.ts'
import type { EventEffect, Issue, IssueFilter } from './meta.ts'
import type { MetaStore } from './meta-store.ts'

type Field = Extract<IssueFilter, { op: 'field' }>['field']
type Compare = Extract<IssueFilter, { op: 'number' }>['compare']

/** Edge cases of every part: each operator, equal times, undo, missing rows. */
export function edgeCases(fresh: () => Promise<MetaStore>): void {
  operatorCases(fresh)
  pageCases(fresh)
  undoCases(fresh)
  nameCases(fresh)
  seenCases(fresh)
  ledgerCases(fresh)
}

const found = async (meta: MetaStore, filter: IssueFilter) =>
  (await meta.issues.listIssues({ projectIds: [1], filter, sort: 'first', max: 10 })).map((issue) => issue.id).sort()

function operatorCases(fresh: () => Promise<MetaStore>): void {
  /** Two issues that differ in everything. */
  const two = async () => {
    const meta = await fresh()
    await commit(meta, {
      events: [
        effect({
          hashes: [hash(1)],
          title: 'One',
          culprit: 'a/b',
          level: 'fatal',
          platform: 'python',
          logger: 'db',
          kind: 'message',
          release: 'api@1',
          metadata: { type: 'KeyError', value: 'no_key' },
          timestampMs: nowMs - 100,
        }),
        effect({ hashes: [hash(2)], title: 'Two', release: 'web@1' }),
        effect({ hashes: [hash(2)], title: 'Two', release: 'web@2', timestampMs: nowMs + 100 }),
      ],
    })
    return meta
  }

  test.each<[Field, string, string]>([
    ['title', 'One', 'O*'],
    ['culprit', 'a/b', 'A/*'],
    ['level', 'fatal', '*tal'],
    ['platform', 'python', 'py*on'],
    ['logger', 'db', 'D*'],
    ['kind', 'message', 'm*'],
    ['firstRelease', 'api@1', 'api@*'],
    ['lastRelease', 'api@1', '*@1'],
    ['errorType', 'KeyError', 'key*'],
    ['errorValue', 'no_key', '*_k*'],
    ['shortId', 'WEB-1', 'web-1'],
  ])('field %s: whole, by pattern, and negated', async (field, value, pattern) => {
    const meta = await two()
    expect(await found(meta, { op: 'field', field, match: 'is', value })).toEqual([1])
    expect(await found(meta, { op: 'field', field, match: 'like', value: pattern })).toEqual([1])
    expect(await found(meta, { op: 'not', of: { op: 'field', field, match: 'is', value } })).toEqual([2])
    expect(await found(meta, { op: 'field', field, match: 'is', value: `${value}x` })).toEqual([])
  })

  test.each<[Compare, number[]]>([
    ['<', [1]],
    ['<=', [1, 2]],
    ['=', [2]],
    ['>=', [2]],
    ['>', []],
  ])('number %s', async (compare, ids) => {
    const meta = await two()
    expect(await found(meta, { op: 'number', field: 'count', compare, value: 2 })).toEqual(ids)
    expect(await found(meta, { op: 'number', field: 'id', compare, value: 2 })).toEqual(ids)
    expect(await found(meta, { op: 'number', field: 'firstSeen', compare, value: nowMs })).toEqual(ids)
    expect(await found(meta, { op: 'number', field: 'lastSeen', compare, value: nowMs + 100 })).toEqual(ids)
  })

  test('deep filters and a thousand values hold', async () => {
    const meta = await two()
    let deep: IssueFilter = { op: 'text', value: 'one' }
    for (let i = 0; i < 40; i++) deep = i % 2 ? { op: 'not', of: deep } : { op: 'and', of: [deep] }
    expect(await found(meta, deep)).toEqual([1])
    const many = Array.from({ length: 100 }, (_, i): IssueFilter => ({ op: 'text', value: `none${i}` }))
    expect(await found(meta, { op: 'or', of: [...many, { op: 'text', value: 'two' }] })).toEqual([2])
    const ids = Array.from({ length: 1000 }, (_, i) => i + 1)
    expect((await meta.issues.issuesByIds(ids)).map((issue) => issue.id)).toEqual(expect.arrayContaining([1, 2]))
    expect(await meta.issues.issuesByIds([])).toEqual([])
  })

  test.each(["'", '"', '\\', '%', '_', '*', '--', '\u0000', '\u{1f525}', "' or '1'='1"])(
    '%j is a text like any other',
    async (text) => {
      const meta = await fresh()
      await commit(meta, { events: [effect({ title: `a${text}b` }), effect({ title: 'ab', hashes: [hash(2)] })] })
      if (text !== '*') expect(await found(meta, { op: 'text', value: `a${text}b` })).toEqual([1])
      expect(await found(meta, { op: 'field', field: 'title', match: 'is', value: `a${text}b` })).toEqual([1])
    },
  )
}

function pageCases(fresh: () => Promise<MetaStore>): void {
  describe.each(['last', 'first'] as const)('pages by %s seen', (sort) => {
    test.each([1, 2, 3, 7, 50])('all at the very same time, %i to a page: each once, none left out', async (max) => {
      const meta = await fresh()
      await commit(meta, { events: Array.from({ length: 7 }, (_, at) => effect({ hashes: [hash(at)] })) })
      const seen: number[] = []
      for (let page = 0; page < 9; page++) {
        const id = seen.at(-1)
        const after = id === undefined ? {} : { after: { valueMs: nowMs, id } }
        seen.push(...(await meta.issues.listIssues({ projectIds: [1], sort, max, ...after })).map((issue) => issue.id))
      }
      expect(seen).toEqual([7, 6, 5, 4, 3, 2, 1])
    })

    test('an issue that moves up between two pages is not shown again behind', async () => {
      const meta = await fresh()
      const at = (value: number, more: Partial<EventEffect> = {}) =>
        effect({ hashes: [hash(value)], timestampMs: nowMs + value, ...more })
      await commit(meta, { events: [1, 2, 3, 4].map((item) => at(item)) })
      const first = await meta.issues.listIssues({ projectIds: [1], sort, max: 2 })
      expect(first.map((item) => item.id)).toEqual([4, 3])
      await commit(meta, { events: [at(4, { timestampMs: nowMs + 99 })] })
      const last = first.at(-1)
      const after = { valueMs: nowMs + 3, id: last?.id ?? 0 }
      expect((await meta.issues.listIssues({ projectIds: [1], sort, max: 2, after })).map((issue) => issue.id)).toEqual(
        [2, 1],
      )
    })
  })

  test('a range counts by the last event, its start included', async () => {
    const meta = await fresh()
    await commit(meta, { events: [1, 2, 3].map((item) => effect({ hashes: [hash(item)], timestampMs: nowMs + item })) })
    const count = (fromMs: number) => meta.issues.countIssues({ projectIds: [1], fromMs })
    expect(await Promise.all([nowMs, nowMs + 2, nowMs + 3, nowMs + 4].map(count))).toEqual([3, 2, 1, 0])
    expect(await meta.issues.listIssues({ projectIds: [1], fromMs: nowMs + 2, sort: 'last', max: 9 })).toHaveLength(2)
    expect([
      await meta.issues.countIssues({ projectIds: [] }),
      await meta.issues.countIssues({ projectIds: [9] }),
    ]).toEqual([0, 0])
  })
}

function undoCases(fresh: () => Promise<MetaStore>): void {
  const states: [Issue['status'], Issue['substatus']][] = [
    ['unresolved', 'new'],
    ['unresolved', 'ongoing'],
    ['unresolved', 'escalating'],
    ['unresolved', 'regressed'],
    ['resolved', null],
    ['ignored', 'archived_forever'],
    ['ignored', 'archived_until_escalating'],
  ]
  const changes = states.flatMap((from) =>
    states.filter(([status]) => status !== from[0]).map((to) => [...from, ...to] as const),
  )
  test.each(changes)(
    'undo: %s (%s) to %s (%s) and back, by what the activity kept',
    async (status, substatus, to, toSub) => {
      const meta = await fresh()
      await commit(meta, { events: [effect()] })
      const set = (item: Issue['status'], sub: Issue['substatus']) =>
        meta.issues.updateIssue(1, { status: item, substatus: sub }, 'ann', nowMs)
      // The new issue is already unresolved and new.
      if (status !== 'unresolved') await set(status, substatus)
      else if (substatus !== 'new') {
        await set('resolved', null)
        await set(status, substatus)
      }
      const before = await meta.issues.issueById(1)
      expect([before?.status, before?.substatus]).toEqual([status, substatus])
      const { activityId } = await set(to, toSub)
      const kept = (await meta.issues.activityOf(1)).find((item) => item.id === activityId)?.data as {
        before: Partial<Issue>
      }
      expect(kept.before).toMatchObject({ status, substatus })
      const { issue } = await meta.issues.updateIssue(1, kept.before, 'ann', nowMs)
      expect([issue.status, issue.substatus, issue.statusDetails]).toEqual([status, substatus, before?.statusDetails])
      expect(issue.rev).toBe((before?.rev ?? 0) + 2)
    },
  )

  test('assigned to, taken over, and to nobody', async () => {
    const meta = await fresh()
    await commit(meta, { events: [effect()] })
    const to = async (assigneeUserId: string | null) =>
      (await meta.issues.updateIssue(1, { assigneeUserId }, 'ann', nowMs)).issue.assigneeUserId
    expect([await to('ann'), await to('bob'), await to(null), await to(null)]).toEqual(['ann', 'bob', null, null])
    expect((await meta.issues.issueById(1))?.status).toBe('unresolved')
  })
}

function nameCases(fresh: () => Promise<MetaStore>): void {
  test.each(['a', 'a-b', '-', '1a', 'x'.repeat(50)])('slug %j is taken', async (slug) => {
    const meta = await fresh()
    expect((await meta.projects.createProject({ organizationId: 1, slug, name: 'A', platform: null })).slug).toBe(slug)
    expect((await meta.projects.projectBySlug(1, slug))?.name).toBe('A')
    expect(await codeOf(() => meta.projects.updateProject(1, { slug }))).toBe('CONFLICT')
  })

  test.each([
    ['', 'VALIDATION'],
    [' ', 'VALIDATION'],
    ['x'.repeat(65), 'VALIDATION'],
    ['a\nb', 'VALIDATION'],
    ['a\u007fb', 'VALIDATION'],
    [' Trimmed ', 'Trimmed'],
    ['\u{1f525}'.repeat(64), '\u{1f525}'.repeat(64)],
  ])('name %.20j', async (name, expected) => {
    const meta = await fresh()
    if (expected === 'VALIDATION') {
      expect(await codeOf(() => meta.projects.updateProject(1, { name }))).toBe(expected)
      expect((await meta.projects.projectById(1))?.name).toBe('Web')
    } else expect((await meta.projects.updateProject(1, { name })).name).toBe(expected)
  })

  test('a renamed project keeps its id, its key and its issues', async () => {
    const meta = await fresh()
    await commit(meta, { events: [effect()] })
    const [key] = await meta.projects.keysOf(1)
    expect(await meta.projects.updateProject(1, { slug: 'shop', name: 'Shop', platform: null })).toMatchObject({
      id: 1,
      slug: 'shop',
    })
    expect([await meta.projects.projectBySlug(1, 'web'), (await meta.projects.projectBySlug(1, 'shop'))?.id]).toEqual([
      undefined,
      1,
    ])
    expect((await meta.projects.keysOf(1))[0]?.publicKey).toBe(key?.publicKey)
    expect((await meta.issues.issueByShortId(1, 'WEB-1'))?.projectId).toBe(1)
  })
}

function seenCases(fresh: () => Promise<MetaStore>): void {
  test('environments of several projects: each once, in order of the alphabet', async () => {
    const meta = await fresh()
    await meta.projects.createProject({ organizationId: 1, slug: 'api', name: 'Api', platform: null })
    const names = ['production', 'Staging', 'dev', 'production', '']
    await commit(meta, {
      events: names.flatMap((environment) => [effect({ environment }), effect({ environment, projectId: 2 })]),
    })
    const all = await meta.issues.environmentsOf([1, 2])
    expect(new Set(all).size).toBe(all.length)
    expect(all.filter((item) => item !== '').sort()).toEqual(['Staging', 'dev', 'production'])
    expect([await meta.issues.environmentsOf([]), await meta.issues.environmentsOf([9])]).toEqual([[], []])
  })

  test('releases: latest event first, first and last event, at most so many', async () => {
    const meta = await fresh()
    const at = (release: string, ms: number) => effect({ release, timestampMs: nowMs + ms })
    await commit(meta, { events: [at('a@1', 5), at('a@2', 3), at('a@1', 1), at('', 9)] })
    await commit(meta, { events: [at('a@2', 7)] })
    const versions = async (max: number) => (await meta.issues.releasesOf([1], max)).map((release) => release.version)
    expect([await versions(9), await versions(1), await meta.issues.releasesOf([], 9)]).toEqual([
      ['a@2', 'a@1'],
      ['a@2'],
      [],
    ])
    const [, first] = await meta.issues.releasesOf([1], 9)
    expect([first?.firstEventMs, first?.lastEventMs].every((ms) => ms !== undefined && ms >= nowMs + 1)).toBe(true)
    expect((first?.firstEventMs ?? 0) < (first?.lastEventMs ?? 0)).toBe(true)
  })

  test('digests: newest first, each once, and the issues that had one', async () => {
    const meta = await fresh()
    const at = (digest: string, value: number, ms: number) =>
      effect({ digest, hashes: [hash(value)], timestampMs: nowMs + ms, eventId: String(ms).padStart(32, '0') })
    await commit(meta, { events: [at('11', 1, 1), at('22', 1, 2), at('11', 1, 3), at('11', 2, 9), at('', 1, 10)] })
    expect(await meta.issues.digestsOf(1)).toEqual(['11', '22'])
    expect((await meta.issues.issuesOfDigest([1], '11')).map((issue) => [issue.issueId, issue.lastMs])).toEqual([
      [2, nowMs + 9],
      [1, nowMs + 3],
    ])
    expect((await meta.issues.issuesOfDigest([1], '11'))[0]?.eventId).toBe('9'.padStart(32, '0'))
    expect([
      await meta.issues.issuesOfDigest([], '11'),
      await meta.issues.issuesOfDigest([1], ''),
      await meta.issues.digestsOf(99),
    ]).toEqual([[], [], []])
  })
}

function ledgerCases(fresh: () => Promise<MetaStore>): void {
  test.each([
    ['project', { projectId: 2 }],
    ['key', { keyId: 2 }],
    ['category', { category: 'session' as const }],
    ['outcome', { outcome: 'dead' as const }],
    ['reason', { reason: 'failed' as const }],
    ['item type', { itemType: 'session' }],
  ])('outcomes that differ in %s are counted apart', async (_name, change) => {
    const meta = await fresh()
    await meta.ledger.addOutcomes([stored, { ...stored, ...change }, stored], nowMs)
    expect((await meta.ledger.outcomesSince({ fromMs: nowMs })).map((row) => row.quantity).sort()).toEqual([1, 2])
  })

  test('a blob that a dead item and an attachment share is kept while one of them needs it', async () => {
    const meta = await fresh()
    const dead = { jpos: 1, projectId: 1, keyId: 1, receivedMs: 100, reason: 'x', bytes: 1, blobKey: 'shared' }
    const attachment = {
      projectId: 1,
      eventId: 'e',
      name: 'a',
      type: 't',
      contentType: 'c',
      bytes: 1,
      blobKey: 'shared',
      receivedMs: 500,
    }
    await commit(meta, { dead: [dead], attachments: [attachment] })
    expect(await meta.retention.prune(nowMs, 0, 200)).toEqual([])
    expect([await meta.ledger.deadLetters(9), (await meta.attachments.attachmentsOf(1, 'e')).length]).toEqual([[], 1])
    expect(await meta.retention.prune(nowMs, 501, 200)).toEqual(['shared'])
    expect(await meta.retention.prune(nowMs, 501, 200)).toEqual([])
  })
}
