import { describe, expect, test } from 'vitest'
import { MishapError } from '../../../base/errors.ts'
import type { HookOutcome, TrackerKind } from '../../../domain/alerts/trackers.ts'
import { codeOf, commit, effect, hash, nowMs } from '../fixture.cases.ts'
import type { MetaStore } from '../meta-store.ts'

const connection = {
  organizationId: 1,
  kind: 'github' as TrackerKind,
  name: 'acme/web',
  url: 'https://api.github.com',
  target: 'acme/web',
  email: '',
  account: 'octo',
  accountId: '7',
  sealedToken: 'sealed',
  sealedSecret: 'sealed too',
  syncState: true,
  syncComments: false,
  connectedBy: 'ann',
}
const named = (number: number) => ({
  key: `acme/web#${number}`,
  externalId: String(number),
  title: 'There',
  url: `https://github.com/acme/web/issues/${number}`,
  state: 'open' as const,
})
const resolved = { status: 'resolved', substatus: null, statusDetails: {} } as const
const unresolved = { status: 'unresolved', statusDetails: {} } as const

/** Two issues, and a link of the first with tracker issue 1. */
async function linked(meta: MetaStore, change: Partial<typeof connection> = {}) {
  await commit(meta, { events: [effect(), effect({ hashes: [hash(2)], eventId: 'b'.repeat(32) })] })
  const integration = await meta.trackers.createIntegration({ ...connection, ...change })
  const origin = { integrationId: integration.id, issueId: 1, origin: 'rule-7', createdBy: null }
  const { link } = await meta.trackers.reserveExternal(origin, nowMs)
  return { integration, origin, link: await meta.trackers.completeExternal(link.id, named(1)) }
}

function integrationCases(fresh: () => Promise<MetaStore>): void {
  test.each<[kind: TrackerKind, change: { url?: string; target?: string }, code: string]>([
    ['github', { target: 'acme/api' }, 'VALIDATION'],
    ['gitlab', { target: 'acme/api' }, 'VALIDATION'],
    ['github', { target: 'Acme/Web' }, 'none'],
    ['jira', { target: 'API' }, 'none'],
    ['linear', { url: 'https://linear.other' }, 'VALIDATION'],
    ['github', { url: 'https://github.other/api/v3' }, 'VALIDATION'],
  ])('a connection of %s with linked issues and the change %j: %s', async (kind, change, code) => {
    const meta = await fresh()
    const { integration, link } = await linked(meta, { kind })
    const made = async () => (await meta.trackers.integrationById(integration.id)) ?? integration
    const end = async () => {
      try {
        await meta.trackers.updateIntegration(integration.id, change)
        return 'none'
      } catch (error) {
        return error instanceof MishapError ? [error.code, Object.keys(error.fields ?? {})] : String(error)
      }
    }
    const [field] = Object.keys(change)
    expect(await end()).toEqual(code === 'none' ? 'none' : [code, [field]])
    expect(await made()).toEqual({ ...integration, ...(code === 'none' ? change : {}) })
    await meta.trackers.deleteExternal(link.id)
    expect(await end()).toBe('none')
  })

  test('a connection is made, changed, listed by organization and deleted', async () => {
    const { trackers, organizations } = await fresh()
    await organizations.createOrganization({ slug: 'other', name: 'Other', ownerUserId: 'ann' })
    const made = await trackers.createIntegration(connection)
    expect(made).toEqual({
      ...connection,
      id: made.id,
      createdMs: nowMs,
      connectedMs: nowMs,
      refusedMs: null,
      lastError: '',
    })
    const other = await trackers.createIntegration({ ...connection, organizationId: 2 })
    expect(await trackers.integrationsOf(1)).toEqual([made])
    expect(await trackers.integrationById(other.id)).toEqual(other)
    const changed = await trackers.updateIntegration(made.id, { name: ' Web ', target: 'acme/api', syncComments: true })
    expect(changed).toEqual({ ...made, name: 'Web', target: 'acme/api', syncComments: true })
    expect(await trackers.updateIntegration(made.id, {})).toEqual(changed)
    expect(await codeOf(() => trackers.updateIntegration(99, { target: 'x' }))).toBe('NOT_FOUND')
    expect(await codeOf(() => trackers.updateIntegration(made.id, { name: '' }))).toBe('VALIDATION')
    await trackers.deleteIntegration(made.id)
    expect(await trackers.integrationById(made.id)).toBeUndefined()
  })

  test('a refusal keeps its first time until a call succeeds or a token is new', async () => {
    const { trackers } = await fresh()
    const { id } = await trackers.createIntegration(connection)
    const state = async () => {
      const found = await trackers.integrationById(id)
      return [found?.refusedMs, found?.lastError]
    }
    await trackers.setIntegrationError(id, '500: oops', false, nowMs)
    expect(await state()).toEqual([null, '500: oops'])
    await trackers.setIntegrationError(id, '401: no', true, nowMs + 1)
    await trackers.setIntegrationError(id, '401: still', true, nowMs + 2)
    await trackers.setIntegrationError(id, '500: oops', false, nowMs + 3)
    expect(await state()).toEqual([nowMs + 1, '500: oops'])
    await trackers.setIntegrationError(id, '', false, nowMs + 4)
    expect(await state()).toEqual([null, ''])
    await trackers.setIntegrationError(id, '401: no', true, nowMs + 5)
    await trackers.updateIntegration(id, { sealedToken: 'new', connectedBy: 'bob' })
    expect(await trackers.integrationById(id)).toMatchObject({ refusedMs: null, lastError: '', connectedBy: 'bob' })
  })
}

function linkCases(fresh: () => Promise<MetaStore>): void {
  test('a store says whether any issue is linked', async () => {
    const meta = await fresh()
    const before = await meta.trackers.hasExternal()
    const { link } = await linked(meta)
    const during = await meta.trackers.hasExternal()
    await meta.trackers.deleteExternal(link.id)
    expect([before, during, await meta.trackers.hasExternal()]).toEqual([false, true, false])
  })

  test('an origin has one link; a second issue of the tracker needs its own', async () => {
    const meta = await fresh()
    const { link, origin } = await linked(meta)
    expect(await meta.trackers.reserveExternal(origin, nowMs + 9)).toEqual({ link, isNew: false })
    const second = await meta.trackers.reserveExternal({ ...origin, origin: 'link-1', createdBy: 'ann' }, nowMs)
    expect(second).toMatchObject({ isNew: true, link: { externalId: '', key: '', createdBy: 'ann' } })
    expect(await codeOf(() => meta.trackers.completeExternal(second.link.id, named(1)))).toBe('CONFLICT')
    await meta.trackers.completeExternal(second.link.id, named(2))
    const keys = (await meta.trackers.externalIssuesOf(1)).map(({ key }) => key)
    expect(keys).toEqual(['acme/web#1', 'acme/web#2'])
    await meta.trackers.deleteExternal(second.link.id)
    expect(await meta.trackers.externalById(second.link.id)).toBeUndefined()
    expect(await codeOf(() => meta.trackers.completeExternal(999, named(3)))).toBe('NOT_FOUND')
    expect(await codeOf(() => meta.trackers.reserveExternal({ ...origin, issueId: 99 }, nowMs))).toBe('NOT_FOUND')
  })

  test('a link is due after its issue changed, and not before', async () => {
    const meta = await fresh()
    const { link, integration } = await linked(meta)
    const due = async (atMs = nowMs) => (await meta.trackers.linksDueBy(atMs, 10)).map(({ wanted }) => wanted)
    expect(await due()).toEqual([])
    await meta.issues.updateIssue(1, resolved, 'ann', nowMs)
    expect(await due()).toEqual(['closed'])
    await meta.trackers.failExternal(link.id, '500: oops', nowMs + 10)
    expect([await due(nowMs + 9), await due(nowMs + 10)]).toEqual([[], ['closed']])
    expect(await meta.trackers.externalById(link.id)).toMatchObject({ attempts: 1, error: '500: oops' })
    await meta.trackers.settleExternal(integration.id, '1', 'closed')
    expect(await due()).toEqual([])
    expect(await meta.trackers.externalById(link.id)).toMatchObject({ attempts: 0, error: '', state: 'closed' })
    // Settled is the state that was sent, not the one that the issue has now.
    await meta.issues.updateIssue(1, unresolved, 'ann', nowMs)
    await meta.trackers.settleExternal(integration.id, '1', 'closed', { linkId: link.id, state: 'closed' })
    expect(await due()).toEqual(['open'])
    await meta.trackers.settleExternal(integration.id, '1', 'closed', { linkId: link.id + 1, state: 'open' })
    expect(await due()).toEqual(['open'])
    await meta.trackers.settleExternal(integration.id, '1', 'open', { linkId: link.id, state: 'open' })
    expect(await due()).toEqual([])
    await meta.issues.updateIssue(1, resolved, 'ann', nowMs)
    await meta.trackers.settleExternal(integration.id, '1', 'closed')
    expect(await due()).toEqual([])
    // An archived issue says nothing about the tracker's.
    await meta.issues.updateIssue(1, { status: 'ignored', statusDetails: {} }, 'ann', nowMs)
    expect(await due()).toEqual([])
    await meta.issues.updateIssue(1, unresolved, 'ann', nowMs)
    expect(await due()).toEqual(['open'])
  })

  test('nothing is due without a tracker issue, while the token is refused, or while states are not copied', async () => {
    const meta = await fresh()
    const { integration, origin } = await linked(meta)
    await meta.trackers.reserveExternal({ ...origin, origin: 'person-1' }, nowMs)
    await meta.issues.updateIssue(1, resolved, 'ann', nowMs)
    const due = async () => (await meta.trackers.linksDueBy(nowMs, 10)).length
    expect(await due()).toBe(1)
    await meta.trackers.setIntegrationError(integration.id, '401', true, nowMs)
    expect(await due()).toBe(0)
    await meta.trackers.setIntegrationError(integration.id, '', false, nowMs)
    await meta.trackers.updateIntegration(integration.id, { syncState: false })
    expect(await due()).toBe(0)
    // Switched on again, what differs now stays as it is.
    await meta.trackers.updateIntegration(integration.id, { syncState: true })
    expect(await due()).toBe(0)
    await meta.issues.updateIssue(1, unresolved, 'ann', nowMs)
    expect(await due()).toBe(1)
  })

  test('a note of a push is taken once, for its state, while it is new', async () => {
    const meta = await fresh()
    const { link, integration } = await linked(meta)
    await meta.trackers.notePush(link.id, 'closed', nowMs)
    const take = (state: 'open' | 'closed', sinceMs: number) =>
      meta.trackers.takePush(integration.id, '1', state, sinceMs)
    expect(await take('open', 0)).toBe(false)
    expect(await take('closed', nowMs + 1)).toBe(false)
    expect(await take('closed', nowMs)).toBe(true)
    expect(await take('closed', nowMs)).toBe(false)
    for (let at = 0; at < 12; at++) await meta.trackers.notePush(link.id, 'open', nowMs + at)
    expect((await meta.trackers.externalById(link.id))?.pushed.map(({ atMs }) => atMs - nowMs)).toEqual([
      4, 5, 6, 7, 8, 9, 10, 11,
    ])
  })

  test('comments after the link are due in order, once the option is on', async () => {
    const meta = await fresh()
    await commit(meta, { events: [effect()] })
    await meta.issues.addComment(1, 'ann', 'before', nowMs)
    const { link, integration } = await linked(meta)
    const texts = async () => (await meta.trackers.commentsDueBy(nowMs, 10)).map(({ text }) => text)
    await meta.issues.addComment(1, 'ann', 'while off', nowMs)
    expect(await texts()).toEqual([])
    await meta.trackers.updateIntegration(integration.id, { syncComments: true })
    expect(await texts()).toEqual([])
    await meta.issues.addComment(1, 'ann', 'one', nowMs)
    await meta.issues.addComment(1, null, 'two', nowMs, [], { tracker: 'acme/web#1' })
    expect(await texts()).toEqual(['one', 'two'])
    const [first] = await meta.trackers.commentsDueBy(nowMs, 10)
    expect(first).toMatchObject({ userId: 'ann', link: { id: link.id } })
    await meta.trackers.settleComment(link.id, first?.activityId ?? 0)
    expect(await texts()).toEqual(['two'])
  })

  test('links move with a merged issue, and a rule still finds its own', async () => {
    const meta = await fresh()
    const { origin, link } = await linked(meta)
    const other = await meta.trackers.reserveExternal({ ...origin, issueId: 2 }, nowMs)
    await meta.trackers.completeExternal(other.link.id, named(2))
    const { id } = await meta.issues.requestMerge({ organizationId: 1, userId: 'ann', intoId: 2, fromIds: [1] }, nowMs)
    await meta.issues.stepBulk(id, 10, nowMs)
    const moved = await meta.trackers.externalIssuesOf(2)
    expect(moved.map((item) => [item.key, item.origin])).toEqual([
      ['acme/web#1', `rule-7/${link.id}`],
      ['acme/web#2', 'rule-7'],
    ])
    // The rule's own link is gone: it finds the one that came with the merged issue and creates no other.
    await meta.trackers.deleteExternal(other.link.id)
    const found = await meta.trackers.reserveExternal({ ...origin, issueId: 2 }, nowMs)
    expect([found.isNew, found.link.id]).toEqual([false, link.id])
  })

  test('links go with their connection and with their issue', async () => {
    const meta = await fresh()
    const { integration, link } = await linked(meta)
    await meta.trackers.addDelivery(integration.id, 'd', nowMs)
    await meta.trackers.deleteIntegration(integration.id)
    expect(await meta.trackers.externalById(link.id)).toBeUndefined()
    expect(await meta.trackers.isDelivered(integration.id, 'd')).toBe(false)
  })
}

function hookCases(fresh: () => Promise<MetaStore>): void {
  test('a delivery is noted once for each connection, and old notes go', async () => {
    const { trackers } = await fresh()
    const one = await trackers.createIntegration(connection)
    const two = await trackers.createIntegration(connection)
    expect(await trackers.addDelivery(one.id, 'd-1', nowMs)).toBe(true)
    expect(await trackers.addDelivery(one.id, 'd-1', nowMs)).toBe(false)
    expect(await trackers.addDelivery(two.id, 'd-1', nowMs)).toBe(true)
    expect(await trackers.isDelivered(one.id, 'd-1')).toBe(true)
    await trackers.pruneHooks(nowMs + 30 * 86_400_000)
    expect(await trackers.isDelivered(one.id, 'd-1')).toBe(true)
    await trackers.pruneHooks(nowMs + 30 * 86_400_000 + 1)
    expect(await trackers.isDelivered(one.id, 'd-1')).toBe(false)
  })

  test('outcomes are counted by day and summed over 30 days', async () => {
    const { trackers } = await fresh()
    const { id } = await trackers.createIntegration(connection)
    const count = (outcome: HookOutcome, quantity: number, integrationId = id) => ({ integrationId, outcome, quantity })
    // Nobody has the connection 999: a stranger named it.
    await trackers.countHooks([count('limited', 9, 999), count('bad_signature', 1), count('accepted', 1)], nowMs)
    for (const atMs of [nowMs, nowMs - 86_400_000, nowMs - 40 * 86_400_000])
      await trackers.countHooks([count('bad_signature', 2)], atMs)
    await trackers.countHooks([], nowMs)
    expect(await trackers.hookCountsOf(1, nowMs)).toEqual([
      { integrationId: id, outcome: 'accepted', quantity: 1 },
      { integrationId: id, outcome: 'bad_signature', quantity: 5 },
    ])
    expect(await trackers.hookCountsOf(2, nowMs)).toEqual([])
    await trackers.pruneHooks(nowMs + 91 * 86_400_000)
    expect(await trackers.hookCountsOf(1, nowMs)).toEqual([])
  })
}

const pushed = (sha: string, message: string, atMs = nowMs) => ({
  repository: 'acme/web',
  sha,
  message,
  authorName: 'Ann',
  authorEmail: 'ann@x.test',
  atMs,
  files: [{ path: 'src/a.ts', type: 'M' as const }],
  filesOmitted: 0,
})

function commitCases(fresh: () => Promise<MetaStore>): void {
  test('pushed commits stay without a release until they are old', async () => {
    const { trackers, releases } = await fresh()
    const { id: integrationId } = await trackers.createIntegration(connection)
    const place = { organizationId: 1, integrationId, repository: 'acme/web', url: 'https://github.com/acme/web' }
    await releases.addPushed(
      place,
      [pushed('a'.repeat(40), 'Fix 100% of it'), pushed('b'.repeat(40), 'Other_thing', nowMs + 1)],
      nowMs,
    )
    await releases.addPushed(place, [pushed('a'.repeat(40), 'Fix 100% of it')], nowMs)
    const shas = async (text: string, organizationId = 1) =>
      (await releases.recentCommitsOf({ organizationId, text, max: 10 })).map(({ sha }) => sha.slice(0, 1))
    expect(await shas('')).toEqual(['b', 'a'])
    expect([
      await shas('AAA'),
      await shas('fix 100%'),
      await shas('r_t'),
      await shas('rxt'),
      await shas('', 2),
    ]).toEqual([['a'], ['a'], ['b'], [], []])
    expect(await releases.repositoriesOf({ organizationId: 1, listed: false, offset: 0, max: 9 })).toMatchObject([
      { name: 'acme/web', url: 'https://github.com/acme/web', integrationId },
    ])
    // A release takes one of them and leaves it again.
    const release = { organizationId: 1, version: '1.0' }
    await releases.setCommits(release, [pushed('a'.repeat(40), 'Fix 100% of it')], nowMs)
    await releases.setCommits(release, [], nowMs)
    expect(await shas('')).toEqual(['b', 'a'])
    await releases.setCommits(release, [pushed('b'.repeat(40), 'Other_thing', nowMs + 1)], nowMs)
    expect(await releases.prunePushed(nowMs)).toBe(0)
    expect(await releases.prunePushed(nowMs + 1)).toBe(2)
    expect(await shas('')).toEqual(['b'])
    await trackers.deleteIntegration(integrationId)
    expect(await releases.repositoriesOf({ organizationId: 1, listed: false, offset: 0, max: 9 })).toMatchObject([
      { integrationId: null },
    ])
  })

  test('a repository keeps the address that a person gave it', async () => {
    const { trackers, releases } = await fresh()
    const { id: integrationId } = await trackers.createIntegration(connection)
    await releases.putRepository({ organizationId: 1, name: 'acme/web', url: 'https://mirror.test/web' }, nowMs)
    const place = { organizationId: 1, integrationId, repository: 'acme/web', url: 'https://github.com/acme/web' }
    await releases.addPushed(place, [pushed('a'.repeat(40), 'x')], nowMs)
    expect(await releases.recentCommitsOf({ organizationId: 1, text: '', max: 1 })).toMatchObject([
      { repositoryUrl: 'https://mirror.test/web', files: 1 },
    ])
  })
}

function mappingCases(fresh: () => Promise<MetaStore>): void {
  test('a mapping is made, changed by its root, listed by length and deleted', async () => {
    const { trackers, releases } = await fresh()
    const repository = await releases.putRepository(
      { organizationId: 1, name: 'acme/web', url: 'https://x.test/web' },
      nowMs,
    )
    const values = {
      projectId: 1,
      repositoryId: repository.id,
      stackRoot: 'app/',
      sourceRoot: 'src/',
      defaultBranch: 'main',
    }
    const first = await trackers.putCodeMapping(1, values)
    expect(first).toEqual({
      isNew: true,
      mapping: {
        ...values,
        id: first.mapping.id,
        repository: 'acme/web',
        repositoryUrl: 'https://x.test/web',
        integrationId: null,
        createdMs: nowMs,
      },
    })
    const again = await trackers.putCodeMapping(1, { ...values, sourceRoot: 'lib/' })
    expect([again.isNew, again.mapping.id, again.mapping.sourceRoot]).toEqual([false, first.mapping.id, 'lib/'])
    const longer = await trackers.putCodeMapping(1, { ...values, stackRoot: 'app/deep/' })
    expect((await trackers.mappingsOfProject(1)).map(({ stackRoot }) => stackRoot)).toEqual(['app/deep/', 'app/'])
    const clash = { ...values, stackRoot: 'app/deep/' }
    expect(await codeOf(() => trackers.updateCodeMapping(1, first.mapping.id, clash))).toBe('CONFLICT')
    expect(await codeOf(() => trackers.updateCodeMapping(2, first.mapping.id, values))).toBe('NOT_FOUND')
    expect(await trackers.updateCodeMapping(1, first.mapping.id, { ...values, defaultBranch: 'trunk' })).toMatchObject({
      defaultBranch: 'trunk',
    })
    expect(await trackers.deleteCodeMapping(2, longer.mapping.id)).toBe(false)
    expect(await trackers.deleteCodeMapping(1, longer.mapping.id)).toBe(true)
    expect((await trackers.codeMappingsOf(1)).map(({ id }) => id)).toEqual([first.mapping.id])
    expect(await trackers.codeMappingsOf(2)).toEqual([])
  })
}

/** Cases of issue trackers, pushed commits and code mappings, for every meta store. */
export function trackerCases(fresh: () => Promise<MetaStore>): void {
  describe('trackers', () => {
    integrationCases(fresh)
    linkCases(fresh)
    hookCases(fresh)
    commitCases(fresh)
    mappingCases(fresh)
  })
}
