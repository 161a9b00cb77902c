import { describe, expect, test } from 'vitest'
import { codeOf, commit, effect, hash, nowMs, stored } from './fixture.cases.ts'
import type { EventEffect, Issue, IssueFilter } from './meta.ts'
import type { MetaStore } from './meta-store.ts'

type Field = Extract<IssueFilter, { op: 'field' }>['field']
type Compare = Extract<IssueFilter, { op: 'number' }>['compare']

/** Edge cases of every part: each operator, equal times, undo, missing rows. */
export function edgeCases(fresh: () => MetaStore): void {
  operatorCases(fresh)
  pageCases(fresh)
  undoCases(fresh)
  nameCases(fresh)
  seenCases(fresh)
  ledgerCases(fresh)
}

const found = (meta: MetaStore, filter: IssueFilter) =>
  meta
    .listIssues({ projectIds: [1], filter, sort: 'first', max: 10 })
    .map((issue) => issue.id)
    .sort()

function operatorCases(fresh: () => MetaStore): void {
  /** Two issues that differ in everything. */
  const two = () => {
    const meta = fresh()
    commit(meta, {
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
  ])('field %s: whole, by pattern, and negated', (field, value, pattern) => {
    const meta = two()
    expect(found(meta, { op: 'field', field, match: 'is', value })).toEqual([1])
    expect(found(meta, { op: 'field', field, match: 'like', value: pattern })).toEqual([1])
    expect(found(meta, { op: 'not', of: { op: 'field', field, match: 'is', value } })).toEqual([2])
    expect(found(meta, { op: 'field', field, match: 'is', value: `${value}x` })).toEqual([])
  })

  test.each<[Compare, number[]]>([
    ['<', [1]],
    ['<=', [1, 2]],
    ['=', [2]],
    ['>=', [2]],
    ['>', []],
  ])('number %s', (compare, ids) => {
    const meta = two()
    expect(found(meta, { op: 'number', field: 'count', compare, value: 2 })).toEqual(ids)
    expect(found(meta, { op: 'number', field: 'id', compare, value: 2 })).toEqual(ids)
    expect(found(meta, { op: 'number', field: 'firstSeen', compare, value: nowMs })).toEqual(ids)
    expect(found(meta, { op: 'number', field: 'lastSeen', compare, value: nowMs + 100 })).toEqual(ids)
  })

  test('deep filters and a thousand values hold', () => {
    const meta = two()
    let deep: IssueFilter = { op: 'text', value: 'one' }
    for (let i = 0; i < 40; i++) deep = i % 2 ? { op: 'not', of: deep } : { op: 'and', of: [deep] }
    expect(found(meta, deep)).toEqual([1])
    const many = Array.from({ length: 100 }, (_, i): IssueFilter => ({ op: 'text', value: `none${i}` }))
    expect(found(meta, { op: 'or', of: [...many, { op: 'text', value: 'two' }] })).toEqual([2])
    const ids = Array.from({ length: 1000 }, (_, i) => i + 1)
    expect(meta.issuesByIds(ids).map((issue) => issue.id)).toEqual(expect.arrayContaining([1, 2]))
    expect(meta.issuesByIds([])).toEqual([])
  })

  test.each(["'", '"', '\\', '%', '_', '*', '--', '\u0000', '\u{1f525}', "' or '1'='1"])(
    '%j is a text like any other',
    (text) => {
      const meta = fresh()
      commit(meta, { events: [effect({ title: `a${text}b` }), effect({ title: 'ab', hashes: [hash(2)] })] })
      if (text !== '*') expect(found(meta, { op: 'text', value: `a${text}b` })).toEqual([1])
      expect(found(meta, { op: 'field', field: 'title', match: 'is', value: `a${text}b` })).toEqual([1])
    },
  )
}

function pageCases(fresh: () => MetaStore): void {
  describe.each(['last', 'first'] as const)('pages by %s seen', (sort) => {
    test.each([1, 2, 3, 7, 50])('all at the very same time, %i to a page: each once, none left out', (max) => {
      const meta = fresh()
      commit(meta, { events: Array.from({ length: 7 }, (_, at) => effect({ hashes: [hash(at)] })) })
      const seen: number[] = []
      for (let page = 0; page < 9; page++) {
        const id = seen.at(-1)
        const after = id === undefined ? {} : { after: { valueMs: nowMs, id } }
        seen.push(...meta.listIssues({ projectIds: [1], sort, max, ...after }).map((issue) => issue.id))
      }
      expect(seen).toEqual([7, 6, 5, 4, 3, 2, 1])
    })

    test('an issue that moves up between two pages is not shown again behind', () => {
      const meta = fresh()
      const at = (value: number, more: Partial<EventEffect> = {}) =>
        effect({ hashes: [hash(value)], timestampMs: nowMs + value, ...more })
      commit(meta, { events: [1, 2, 3, 4].map((item) => at(item)) })
      const first = meta.listIssues({ projectIds: [1], sort, max: 2 })
      expect(first.map((item) => item.id)).toEqual([4, 3])
      commit(meta, { events: [at(4, { timestampMs: nowMs + 99 })] })
      const last = first.at(-1)
      const after = { valueMs: nowMs + 3, id: last?.id ?? 0 }
      expect(meta.listIssues({ projectIds: [1], sort, max: 2, after }).map((issue) => issue.id)).toEqual([2, 1])
    })
  })

  test('a range counts by the last event, its start included', () => {
    const meta = fresh()
    commit(meta, { events: [1, 2, 3].map((item) => effect({ hashes: [hash(item)], timestampMs: nowMs + item })) })
    const count = (fromMs: number) => meta.countIssues({ projectIds: [1], fromMs })
    expect([nowMs, nowMs + 2, nowMs + 3, nowMs + 4].map(count)).toEqual([3, 2, 1, 0])
    expect(meta.listIssues({ projectIds: [1], fromMs: nowMs + 2, sort: 'last', max: 9 })).toHaveLength(2)
    expect([meta.countIssues({ projectIds: [] }), meta.countIssues({ projectIds: [9] })]).toEqual([0, 0])
  })
}

function undoCases(fresh: () => MetaStore): void {
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
  test.each(changes)('undo: %s (%s) to %s (%s) and back, by what the activity kept', (status, substatus, to, toSub) => {
    const meta = fresh()
    commit(meta, { events: [effect()] })
    const set = (item: Issue['status'], sub: Issue['substatus']) =>
      meta.updateIssue(1, { status: item, substatus: sub }, 'ann', nowMs)
    // The new issue is already unresolved and new.
    if (status !== 'unresolved') set(status, substatus)
    else if (substatus !== 'new') {
      set('resolved', null)
      set(status, substatus)
    }
    const before = meta.issueById(1)
    expect([before?.status, before?.substatus]).toEqual([status, substatus])
    const { activityId } = set(to, toSub)
    const kept = meta.activityOf(1).find((item) => item.id === activityId)?.data as { before: Partial<Issue> }
    expect(kept.before).toMatchObject({ status, substatus })
    const { issue } = meta.updateIssue(1, kept.before, 'ann', nowMs)
    expect([issue.status, issue.substatus, issue.statusDetails]).toEqual([status, substatus, before?.statusDetails])
    expect(issue.rev).toBe((before?.rev ?? 0) + 2)
  })

  test('assigned to, taken over, and to nobody', () => {
    const meta = fresh()
    commit(meta, { events: [effect()] })
    const to = (assigneeUserId: string | null) =>
      meta.updateIssue(1, { assigneeUserId }, 'ann', nowMs).issue.assigneeUserId
    expect([to('ann'), to('bob'), to(null), to(null)]).toEqual(['ann', 'bob', null, null])
    expect(meta.issueById(1)?.status).toBe('unresolved')
  })
}

function nameCases(fresh: () => MetaStore): void {
  test.each(['a', 'a-b', '-', '1a', 'x'.repeat(50)])('slug %j is taken', (slug) => {
    const meta = fresh()
    expect(meta.createProject({ organizationId: 1, slug, name: 'A', platform: null }).slug).toBe(slug)
    expect(meta.projectBySlug(1, slug)?.name).toBe('A')
    expect(codeOf(() => meta.updateProject(1, { slug }))).toBe('CONFLICT')
  })

  test.each([
    ['', 'VALIDATION'],
    [' ', 'VALIDATION'],
    ['x'.repeat(65), 'VALIDATION'],
    ['a\nb', 'VALIDATION'],
    ['a\u007fb', 'VALIDATION'],
    [' Trimmed ', 'Trimmed'],
    ['\u{1f525}'.repeat(64), '\u{1f525}'.repeat(64)],
  ])('name %.20j', (name, expected) => {
    const meta = fresh()
    if (expected === 'VALIDATION') {
      expect(codeOf(() => meta.updateProject(1, { name }))).toBe(expected)
      expect(meta.projectById(1)?.name).toBe('Web')
    } else expect(meta.updateProject(1, { name }).name).toBe(expected)
  })

  test('a renamed project keeps its id, its key and its issues', () => {
    const meta = fresh()
    commit(meta, { events: [effect()] })
    const [key] = meta.keysOf(1)
    expect(meta.updateProject(1, { slug: 'shop', name: 'Shop', platform: null })).toMatchObject({ id: 1, slug: 'shop' })
    expect([meta.projectBySlug(1, 'web'), meta.projectBySlug(1, 'shop')?.id]).toEqual([undefined, 1])
    expect(meta.keysOf(1)[0]?.publicKey).toBe(key?.publicKey)
    expect(meta.issueByShortId(1, 'WEB-1')?.projectId).toBe(1)
  })
}

function seenCases(fresh: () => MetaStore): void {
  test('environments of several projects: each once, in order of the alphabet', () => {
    const meta = fresh()
    meta.createProject({ organizationId: 1, slug: 'api', name: 'Api', platform: null })
    const names = ['production', 'Staging', 'dev', 'production', '']
    commit(meta, {
      events: names.flatMap((environment) => [effect({ environment }), effect({ environment, projectId: 2 })]),
    })
    const all = meta.environmentsOf([1, 2])
    expect(new Set(all).size).toBe(all.length)
    expect(all.filter((item) => item !== '').sort()).toEqual(['Staging', 'dev', 'production'])
    expect([meta.environmentsOf([]), meta.environmentsOf([9])]).toEqual([[], []])
  })

  test('releases: latest event first, first and last event, at most so many', () => {
    const meta = fresh()
    const at = (release: string, ms: number) => effect({ release, timestampMs: nowMs + ms })
    commit(meta, { events: [at('a@1', 5), at('a@2', 3), at('a@1', 1), at('', 9)] })
    commit(meta, { events: [at('a@2', 7)] })
    const versions = (max: number) => meta.releasesOf([1], max).map((release) => release.version)
    expect([versions(9), versions(1), meta.releasesOf([], 9)]).toEqual([['a@2', 'a@1'], ['a@2'], []])
    const [, first] = meta.releasesOf([1], 9)
    expect([first?.firstEventMs, first?.lastEventMs].every((ms) => ms !== undefined && ms >= nowMs + 1)).toBe(true)
    expect((first?.firstEventMs ?? 0) < (first?.lastEventMs ?? 0)).toBe(true)
  })

  test('digests: newest first, each once, and the issues that had one', () => {
    const meta = fresh()
    const at = (digest: string, value: number, ms: number) =>
      effect({ digest, hashes: [hash(value)], timestampMs: nowMs + ms, eventId: String(ms).padStart(32, '0') })
    commit(meta, { events: [at('11', 1, 1), at('22', 1, 2), at('11', 1, 3), at('11', 2, 9), at('', 1, 10)] })
    expect(meta.digestsOf(1)).toEqual(['11', '22'])
    expect(meta.issuesOfDigest([1], '11').map((issue) => [issue.issueId, issue.lastMs])).toEqual([
      [2, nowMs + 9],
      [1, nowMs + 3],
    ])
    expect(meta.issuesOfDigest([1], '11')[0]?.eventId).toBe('9'.padStart(32, '0'))
    expect([meta.issuesOfDigest([], '11'), meta.issuesOfDigest([1], ''), meta.digestsOf(99)]).toEqual([[], [], []])
  })
}

function ledgerCases(fresh: () => MetaStore): void {
  test.each([
    ['project', { projectId: 2 }],
    ['key', { keyId: 2 }],
    ['category', { category: 'session' as const }],
    ['outcome', { outcome: 'dead' as const }],
    ['reason', { reason: 'failed' as const }],
    ['item type', { itemType: 'session' }],
  ])('outcomes that differ in %s are counted apart', (_name, change) => {
    const meta = fresh()
    meta.addOutcomes([stored, { ...stored, ...change }, stored], nowMs)
    expect(
      meta
        .outcomesSince({ fromMs: nowMs })
        .map((row) => row.quantity)
        .sort(),
    ).toEqual([1, 2])
  })

  test('a blob that a dead item and an attachment share is kept while one of them needs it', () => {
    const meta = fresh()
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
    commit(meta, { dead: [dead], attachments: [attachment] })
    expect(meta.prune(nowMs, 0, 200)).toEqual([])
    expect([meta.deadLetters(9), meta.attachmentsOf(1, 'e').length]).toEqual([[], 1])
    expect(meta.prune(nowMs, 501, 200)).toEqual(['shared'])
    expect(meta.prune(nowMs, 501, 200)).toEqual([])
  })
}
