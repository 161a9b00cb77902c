import { describe, expect, test } from 'vitest'
import { testClock } from '../../base/clock.ts'
import { alertRuleCases } from './alerts/alert-rules.cases.ts'
import { incidentCases, muteCases } from './alerts/incidents.cases.ts'
import { triggerCases } from './alerts/triggers.cases.ts'
import { workflowCases } from './alerts/workflows.cases.ts'
import { artifactCases } from './artifacts/artifacts.cases.ts'
import { dashboardCases } from './dashboards/dashboards.cases.ts'
import { revisionCases } from './database/revision.cases.ts'
import { edgeCases } from './edges.cases.ts'
import { exploreCases } from './explore/explore.cases.ts'
import { failureIssueCases } from './failure-issues.cases.ts'
import { failureOrderCases } from './failure-orders.cases.ts'
import { codeOf, commit, effect, hash, nowMs, withProject } from './fixture.cases.ts'
import { commitCases, orderCases, regressionCases } from './ingest/batch.cases.ts'
import { countCases } from './ingest/counts.cases.ts'
import { environmentCases } from './ingest/environments.cases.ts'
import { alertCases } from './issues/alerts.cases.ts'
import { failureCases } from './issues/error-links.cases.ts'
import { mergeCases } from './issues/merge.cases.ts'
import { searchCases } from './issues/searches.cases.ts'
import { triageCases } from './issues/triage.cases.ts'
import type { IssueFilter } from './meta.ts'
import type { MetaStore } from './meta-store.ts'
import { noiseCases } from './noise.cases.ts'
import { peopleCases } from './people/people.cases.ts'
import { personalCases } from './personal/personal.cases.ts'
import { filterCases as inboundCases } from './projects/inbound-filters.cases.ts'
import { scrapeCases } from './projects/scrape.cases.ts'
import { releaseCases } from './releases/releases.cases.ts'
import { reprocessingCases } from './retention/reprocessing.cases.ts'
import { trackerCases } from './trackers/trackers.cases.ts'

type Open = (clock: ReturnType<typeof testClock>) => Promise<MetaStore>

/** Cases that every meta store must pass. `open` returns an empty store. */
export function metaCases(name: string, open: Open): void {
  const fresh = async () => withProject(await open(testClock(nowMs)))
  describe(name, () => {
    commitCases(fresh)
    mergeCases(fresh)
    orderCases(fresh)
    regressionCases(fresh)
    issueCases(fresh)
    filterCases(fresh)
    changeCases(fresh)
    settingCases(fresh, open)
    countCases(fresh)
    tokenCases(open)
    edgeCases(fresh)
    alertCases(fresh)
    incidentCases(fresh)
    muteCases(fresh)
    revisionCases(fresh)
    peopleCases(fresh)
    environmentCases(fresh)
    artifactCases(fresh)
    reprocessingCases(fresh)
    failureCases(fresh)
    failureIssueCases(fresh)
    noiseCases(fresh)
    failureOrderCases(fresh)
    scrapeCases(fresh)
    searchCases(fresh)
    exploreCases(fresh)
    inboundCases(fresh)
    releaseCases(fresh)
    triageCases(fresh)
    dashboardCases(fresh)
    alertRuleCases(fresh)
    workflowCases(fresh)
    personalCases(fresh)
    triggerCases(fresh)
    trackerCases(fresh)
  })
}

function issueCases(fresh: () => Promise<MetaStore>): void {
  test.each(['last', 'first'] as const)('pages by %s seen show each issue once, ties by id', async (sort) => {
    const meta = await fresh()
    const events = Array.from({ length: 23 }, (_, index) =>
      effect({ hashes: [hash(index)], timestampMs: nowMs + Math.floor(index / 4) }),
    )
    await commit(meta, { events })
    const seen: number[] = []
    let after: { valueMs: number; id: number } | undefined
    for (;;) {
      const page = await meta.issues.listIssues({ projectIds: [1], sort, max: 5, ...(after ? { after } : {}) })
      seen.push(...page.map((issue) => issue.id))
      const last = page.at(-1)
      if (!last) break
      after = { valueMs: sort === 'last' ? last.lastSeenMs : last.firstSeenMs, id: last.id }
    }
    expect(seen).toEqual(Array.from({ length: 23 }, (_, index) => 23 - index))
    expect(await meta.issues.countIssues({ projectIds: [1], fromMs: nowMs + 5 })).toBe(3)
    expect(await meta.issues.listIssues({ projectIds: [], sort, max: 5 })).toEqual([])
    expect(await meta.issues.listIssues({ projectIds: [2], sort, max: 5 })).toEqual([])
  })
}

function filterCases(fresh: () => Promise<MetaStore>): void {
  const status: IssueFilter = { op: 'status', value: 'unresolved' }
  const field = (
    name: Extract<IssueFilter, { op: 'field' }>['field'],
    match: 'is' | 'like',
    value: string,
  ): IssueFilter => ({ op: 'field', field: name, match, value })
  test.each<[IssueFilter, number[]]>([
    [status, [1, 3]],
    [{ op: 'not', of: status }, [2]],
    [{ op: 'substatus', value: 'new' }, [1, 3]],
    [{ op: 'not', of: { op: 'substatus', value: 'new' } }, [2]],
    [{ op: 'assigned', userId: 'ann' }, [3]],
    [{ op: 'not', of: { op: 'assigned', userId: 'ann' } }, [1, 2]],
    [{ op: 'assigned', userId: null }, [1, 2]],
    [{ op: 'assigned', userId: 'any' }, [3]],
    [
      {
        op: 'or',
        of: [
          { op: 'assigned', userId: 'ann' },
          { op: 'assigned', userId: 'bob' },
        ],
      },
      [3],
    ],
    [{ op: 'priority', value: 'low' }, [2]],
    [{ op: 'priority', value: 'high' }, [1]],
    [{ op: 'priority', value: 'medium' }, [3]],
    [{ op: 'not', of: { op: 'priority', value: 'medium' } }, [1, 2]],
    [{ op: 'bookmarked', userId: 'ann' }, [1]],
    [{ op: 'not', of: { op: 'bookmarked', userId: 'ann' } }, [2, 3]],
    [{ op: 'bookmarked', userId: 'bob' }, []],
    [{ op: 'subscribed', userId: 'ann' }, [2]],
    [
      { op: 'or', of: [field('title', 'is', 'Alpha'), field('title', 'is', 'Gamma'), field('title', 'is', 'Beta')] },
      [1, 3],
    ],
    [{ op: 'not', of: { op: 'or', of: [field('title', 'is', 'Alpha'), field('level', 'is', 'fatal')] } }, [2, 3]],
    [field('title', 'is', '100% of A_B'), [2]],
    [field('title', 'like', '*% of a_b'), [2]],
    [field('title', 'like', 'a*'), [1]],
    [field('title', 'like', '_lpha*'), []],
    [field('errorType', 'is', 'TypeError'), [1, 2]],
    [field('errorValue', 'like', '*undefined*'), [3]],
    [field('shortId', 'is', 'web-2'), [2]],
    [field('lastRelease', 'is', 'web@2'), [3]],
    [{ op: 'number', field: 'count', compare: '>', value: 1 }, [1]],
    [{ op: 'number', field: 'id', compare: '<=', value: 2 }, [1, 2]],
    [{ op: 'unhandled', value: true }, [3]],
    [{ op: 'text', value: 'ALPHA' }, [1]],
    [{ op: 'text', value: '%' }, [2]],
    [{ op: 'text', value: 'ärger' }, [3]],
    [{ op: 'text', value: "'; drop table issue; --" }, []],
    [{ op: 'and', of: [status, { op: 'unhandled', value: true }] }, [3]],
    [
      {
        op: 'or',
        of: [
          { op: 'text', value: 'alpha' },
          { op: 'unhandled', value: true },
        ],
      },
      [1, 3],
    ],
    [{ op: 'and', of: [] }, [1, 2, 3]],
    [{ op: 'or', of: [] }, []],
  ])('filter %j', async (filter, ids) => {
    const meta = await fresh()
    const bare = { metadata: { type: 'TypeError', value: '' } }
    await commit(meta, {
      events: [
        effect({ ...bare, title: 'Alpha', hashes: [hash(1)] }),
        effect({ ...bare, title: 'Alpha', hashes: [hash(1)] }),
        effect({ ...bare, title: '100% of A_B', hashes: [hash(2)] }),
        effect({
          title: 'Gamma',
          culprit: 'ÄRGER',
          hashes: [hash(3)],
          unhandled: true,
          release: 'web@2',
          level: 'warning',
          metadata: { value: 'undefined' },
        }),
      ],
    })
    await meta.issues.updateIssue(2, { status: 'resolved' }, 'ann', nowMs)
    await meta.issues.updateIssue(3, { assigneeUserId: 'ann' }, 'ann', nowMs)
    await meta.issues.updateIssue(2, { priority: 'low' }, 'ann', nowMs)
    await meta.issues.setUserFlags([1], 'ann', { isBookmarked: true, isSubscribed: false }, nowMs)
    await meta.issues.subscribe(2, 'ann', true, 'asked', nowMs)
    await meta.issues.subscribe(3, 'ann', true, 'asked', nowMs)
    await meta.issues.subscribe(3, 'ann', false, 'asked', nowMs)
    expect(
      (await meta.issues.listIssues({ projectIds: [1], filter, sort: 'first', max: 10 }))
        .map((issue) => issue.id)
        .sort(),
    ).toEqual(ids)
    expect(await meta.issues.countIssues({ projectIds: [1], filter })).toBe(ids.length)
    expect((await meta.issues.issuesByIds([1, 2, 3, 99], filter)).map((issue) => issue.id).sort()).toEqual(ids)
    expect([...(await meta.issues.issueStarts([1, 2, 3, 99], filter))].sort()).toEqual(ids.map((id) => [id, nowMs]))
    const levels = await meta.issues.issueLevels([1, 2, 3, 99], filter)
    expect([...levels.keys()].sort()).toEqual(ids)
    const groups = await meta.issues.groupsOfIssues({ projectIds: [1], filter, max: 10 })
    expect(groups.sort((a, b) => a.issueId - b.issueId)).toEqual(
      ids.map((id) => ({ projectId: 1, groupHash: hash(id), issueId: id, firstSeenMs: nowMs, level: levels.get(id) })),
    )
  })

  test('an escalating issue has a high priority, whatever its level, and groups are bounded by time and number', async () => {
    const meta = await fresh()
    await commit(meta, {
      events: [1, 2, 3].map((n) => effect({ hashes: [hash(n)], level: 'info', timestampMs: nowMs + n })),
    })
    await meta.issues.updateIssue(2, { status: 'unresolved', substatus: 'escalating' }, null, nowMs)
    const ids = async (filter: IssueFilter) =>
      (await meta.issues.groupsOfIssues({ projectIds: [1], filter, max: 9 })).map((group) => group.issueId)
    expect(await ids({ op: 'priority', value: 'high' })).toEqual([2])
    expect((await ids({ op: 'priority', value: 'low' })).sort()).toEqual([1, 3])
    expect(
      (await meta.issues.groupsOfIssues({ projectIds: [1], fromMs: nowMs + 3, max: 9 })).map((group) => group.issueId),
    ).toEqual([3])
    expect(await meta.issues.groupsOfIssues({ projectIds: [1], max: 2 })).toHaveLength(2)
    const low = { projectIds: [1], filter: { op: 'priority', value: 'low' } satisfies IssueFilter }
    expect(await meta.issues.hasMoreGroups({ ...low, max: 1 })).toBe(true)
    expect(await meta.issues.hasMoreGroups({ ...low, max: 2 })).toBe(false)
    expect(await meta.issues.hasMoreGroups({ ...low, fromMs: nowMs + 3, max: 1 })).toBe(false)
    expect(await meta.issues.hasMoreGroups({ projectIds: [], max: 0 })).toBe(false)
    expect((await meta.issues.issueStates([1, 99])).get(1)).toEqual({
      projectId: 1,
      shortId: 'WEB-1',
      title: (await meta.issues.issueById(1))?.title,
      status: 'unresolved',
    })
    expect((await meta.issues.issueStates([99])).size).toBe(0)
    expect([...(await meta.issues.issueLevels([1, 3, 99]))].sort()).toEqual([
      [1, 'info'],
      [3, 'info'],
    ])
    expect(await meta.issues.groupsOfIssues({ projectIds: [], max: 2 })).toEqual([])
  })

  test('a choice of 2,000 conditions is no tree that is too deep', async () => {
    const meta = await fresh()
    await commit(meta, { events: [effect()] })
    const numbers = Array.from({ length: 2_000 }, (_, n) => n)
    const any = (of: IssueFilter[]) => meta.issues.countIssues({ projectIds: [1], filter: { op: 'or', of } })
    expect(await any(numbers.map((n) => field('title', 'is', `t${n}`)))).toBe(0)
    expect(await any(numbers.map((n) => field('title', 'like', `t${n}*`)))).toBe(0)
    expect(await any(numbers.map((value) => ({ op: 'number', field: 'count', compare: '>', value })))).toBe(1)
    const all: IssueFilter = { op: 'and', of: numbers.map((n) => ({ op: 'not', of: field('culprit', 'is', `c${n}`) })) }
    expect(await meta.issues.countIssues({ projectIds: [1], filter: all })).toBe(1)
  })
}

function changeCases(fresh: () => Promise<MetaStore>): void {
  test('updates write who, what was before, and a new revision; without a change nothing', async () => {
    const meta = await fresh()
    await commit(meta, { events: [effect()] })
    const first = await meta.issues.updateIssue(
      1,
      { status: 'resolved', statusDetails: { inNextRelease: true } },
      'ann',
      nowMs,
    )
    expect(first.issue).toMatchObject({
      status: 'resolved',
      substatus: null,
      statusDetails: { inNextRelease: true },
      rev: 1,
    })
    const [, activity] = await meta.issues.activityOf(1)
    expect(activity).toMatchObject({
      id: first.activityId,
      type: 'set_resolved_in_release',
      userId: 'ann',
      data: { before: { status: 'unresolved', substatus: 'new', statusDetails: {} } },
    })
    const between = { projectIds: [1], types: ['set_resolved_in_release' as const], fromMs: nowMs, max: 9 }
    expect(await meta.issues.activitiesBetween({ ...between, toMs: nowMs + 1 })).toEqual([activity])
    for (const none of [{ toMs: nowMs }, { types: ['note' as const] }, { projectIds: [2] }, { max: 0 }])
      expect(await meta.issues.activitiesBetween({ ...between, toMs: nowMs + 1, ...none })).toEqual([])
    expect(await meta.issues.updateIssue(1, { status: 'resolved' }, 'bob', nowMs)).toMatchObject({
      activityId: null,
      issue: { rev: 1 },
    })
    expect(await meta.issues.updateIssue(1, { assigneeUserId: 'bob' }, 'ann', nowMs)).toMatchObject({
      activityId: 3,
      issue: { assigneeUserId: 'bob', rev: 2, status: 'resolved' },
    })
    expect(
      (await meta.issues.updateIssue(1, { status: 'unresolved', substatus: 'new' }, 'ann', nowMs)).issue,
    ).toMatchObject({
      substatus: 'new',
      statusDetails: {},
      rev: 3,
    })
    expect((await meta.issues.updateIssue(1, { status: 'ignored' }, null, nowMs)).issue).toEqual(
      await meta.issues.issueById(1),
    )
    expect(await codeOf(() => meta.issues.updateIssue(9, { status: 'resolved' }, 'ann', nowMs))).toBe('NOT_FOUND')
  })

  test.each([
    ['  seen it too ', 'seen it too'],
    ['', 'VALIDATION'],
    [' \n ', 'VALIDATION'],
    ['x'.repeat(10_001), 'VALIDATION'],
  ])('comment %.20j', async (text, expected) => {
    const meta = await fresh()
    await commit(meta, { events: [effect()] })
    if (expected === 'VALIDATION')
      expect(await codeOf(() => meta.issues.addComment(1, 'ann', text, nowMs))).toBe(expected)
    else
      expect(await meta.issues.addComment(1, 'ann', text, nowMs)).toMatchObject({
        type: 'note',
        data: { text: expected },
        userId: 'ann',
      })
    expect((await meta.issues.issueById(1))?.comments).toBe(expected === 'VALIDATION' ? 0 : 1)
  })
}

function settingCases(fresh: () => Promise<MetaStore>, open: Open): void {
  test.each(['', 'Web', 'a b', '12345', 'x'.repeat(51), 'ä', 'a_b'])('slug %j is refused', async (slug) => {
    const meta = await fresh()
    expect(
      await codeOf(() => meta.projects.createProject({ organizationId: 1, slug, name: 'A', platform: null })),
    ).toBe('VALIDATION')
    expect(await codeOf(() => meta.organizations.createOrganization({ slug, name: 'A', ownerUserId: 'ann' }))).toBe(
      'VALIDATION',
    )
    expect(await codeOf(() => meta.projects.updateProject(1, { slug }))).toBe('VALIDATION')
  })

  test('organizations and members', async () => {
    const meta = await fresh()
    expect(
      await codeOf(() => meta.organizations.createOrganization({ slug: 'acme', name: 'B', ownerUserId: 'x' })),
    ).toBe('CONFLICT')
    expect(await meta.organizations.organizationBySlug('1')).toEqual(
      await meta.organizations.organizationBySlug('acme'),
    )
    expect([
      await meta.organizations.organizationBySlug('nobody'),
      await meta.organizations.organizationById(7),
      await meta.organizations.memberOf(1, 'bob'),
    ]).toEqual([undefined, undefined, undefined])
    await meta.organizations.setMember(1, 'bob', 'viewer')
    await meta.organizations.setMember(1, 'bob', 'admin')
    expect(
      (await meta.organizations.organizationsOf('bob')).map((organization) => [organization.slug, organization.role]),
    ).toEqual([['acme', 'admin']])
    expect((await meta.organizations.membersOf(1)).map((member) => member.userId)).toEqual(['ann', 'bob'])
    await meta.organizations.removeMember(1, 'bob')
    expect(await meta.organizations.organizationsOf('bob')).toEqual([])
    expect(await (await open(testClock())).organizations.organizations()).toEqual([])
  })

  test('projects by slug and id, within their organization only', async () => {
    const meta = await fresh()
    await meta.organizations.createOrganization({ slug: 'other', name: 'Other', ownerUserId: 'eve' })
    expect([
      (await meta.projects.projectBySlug(1, 'web'))?.id,
      (await meta.projects.projectBySlug(1, '1'))?.id,
      await meta.projects.projectBySlug(2, '1'),
      await meta.projects.projectBySlug(2, 'web'),
    ]).toEqual([1, 1, undefined, undefined])
    expect(
      await codeOf(() => meta.projects.createProject({ organizationId: 1, slug: 'web', name: 'A', platform: null })),
    ).toBe('CONFLICT')
    expect((await meta.projects.createProject({ organizationId: 2, slug: 'web', name: 'A', platform: null })).id).toBe(
      2,
    )
    expect(await codeOf(() => meta.projects.updateProject(9, { name: 'x' }))).toBe('NOT_FOUND')
    expect(await codeOf(() => meta.projects.updateProject(1, { name: ' ' }))).toBe('VALIDATION')
    expect(await meta.projects.projectSettings(1)).toEqual({
      projectId: 1,
      organizationId: 1,
      scrubDefaults: true,
      scrubIpAddresses: false,
      sensitiveFields: [],
      safeFields: [],
      grouping: await meta.projects.groupingSettings(1),
    })
    expect(await meta.projects.projectSettings(9)).toBeUndefined()
  })

  test('keys: every change reaches the snapshot and raises its version', async () => {
    const meta = await fresh()
    const versions = [(await meta.projects.keySnapshot()).version]
    const note = async () => versions.push((await meta.projects.keySnapshot()).version)
    const key = await meta.projects.createKey(1, 'Second')
    await note()
    expect(key.publicKey).toMatch(/^[0-9a-f]{32}$/)
    await meta.projects.updateKey(key.id, { active: false, rateLimit: { count: 5, windowS: 60 } })
    await note()
    await meta.projects.updateProject(1, { allowedOrigins: ['https://shop.example'] })
    await note()
    expect((await meta.projects.keySnapshot()).keys[key.publicKey]).toEqual({
      keyId: key.id,
      projectId: 1,
      organizationId: 1,
      active: false,
      rateLimit: { count: 5, windowS: 60 },
      allowedOrigins: ['https://shop.example'],
    })
    expect((await meta.projects.updateKey(key.id, { rateLimit: null })).rateLimit).toBeNull()
    await note()
    await meta.projects.deleteKey(key.id)
    await note()
    expect(Object.keys((await meta.projects.keySnapshot()).keys)).toHaveLength(1)
    expect(versions).toEqual([...versions].sort((a, b) => a - b))
    expect(new Set(versions).size).toBe(versions.length)
    expect(await codeOf(() => meta.projects.updateKey(1, { rateLimit: { count: 0, windowS: 60 } }))).toBe('VALIDATION')
    expect(await codeOf(() => meta.projects.updateKey(99, {}))).toBe('NOT_FOUND')
  })
}

function tokenCases(open: Open): void {
  test('tokens: found by their secret only; the time of use is written once a minute', async () => {
    const clock = testClock(nowMs)
    const meta = await withProject(await open(clock))
    const secret = `sntryu_${'ab'.repeat(32)}`
    const token = await meta.people.createToken({
      name: 'ci',
      userId: 'ann',
      organizationId: 1,
      scopes: ['org:read'],
      secret,
      nowMs,
    })
    expect(token).toMatchObject({ prefix: 'sntryu_abab', lastUsedMs: null })
    expect([await meta.people.tokenBySecret('sntryu_other'), await meta.people.tokenBySecret('')]).toEqual([
      undefined,
      undefined,
    ])
    const uses = await Array.fromAsync([0, 59_999, 1], async (ms) => {
      clock.advance(ms)
      return (await meta.people.tokenBySecret(secret))?.lastUsedMs
    })
    expect(uses).toEqual([nowMs, nowMs, nowMs + 60_000])
    expect((await meta.people.tokensOf('ann')).map((item) => item.name)).toEqual(['ci'])
    await meta.people.deleteToken(token.id)
    expect([await meta.people.tokenBySecret(secret), await meta.people.tokensOf('ann')]).toEqual([undefined, []])
  })
}
