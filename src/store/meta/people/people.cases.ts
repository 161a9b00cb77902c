import { expect, test } from 'vitest'
import { codeOf, commit, effect, hash, nowMs, stored } from '../fixture.cases.ts'
import type { FeedbackRow } from '../issues/feedback.ts'
import type { MetaStore } from '../meta-store.ts'

const dayMs = 86_400_000
const said = (change: Partial<FeedbackRow> = {}): FeedbackRow => ({
  projectId: 1,
  feedbackId: 'f'.repeat(32),
  eventId: 'a'.repeat(32),
  kind: 'report',
  name: 'Ann',
  email: 'ann@example.test',
  message: 'It broke',
  url: '',
  replayId: '',
  environment: '',
  release: '',
  receivedMs: nowMs,
  ...change,
})
const outcome = { ...stored, category: 'feedback' as const, itemType: 'user_report' }
const attachment = (eventId: string, name: string) => ({
  projectId: 1,
  eventId,
  name,
  type: 'event.attachment',
  contentType: '',
  bytes: 1,
  receivedMs: nowMs,
  blobKey: `attachments/1/${eventId}/${name}`,
})
const quantities = async (meta: MetaStore) =>
  (await meta.ledger.outcomesSince({ fromMs: 0 })).map(
    (item) => `${item.itemType} ${item.outcome} ${item.reason} ${item.quantity}`,
  )

/** Cases of feedback, removals and organization settings, for every meta store. */
export function peopleCases(fresh: () => Promise<MetaStore>): void {
  feedbackCases(fresh)
  removalCases(fresh)
  organizationCases(fresh)
  organizationRemovalCases(fresh)
}

function feedbackCases(fresh: () => Promise<MetaStore>): void {
  test('feedback is stored once by its id, and counted so', async () => {
    const meta = await fresh()
    for (let round = 0; round < 2; round++) await commit(meta, { feedback: [{ row: said(), outcome }] })
    expect(await meta.feedback.listFeedback({ projectIds: [1], max: 10 })).toMatchObject([
      { message: 'It broke', state: 'new' },
    ])
    expect((await quantities(meta)).sort()).toEqual([
      'user_report duplicate same_event_id 1',
      'user_report stored ok 1',
    ])
  })

  test('feedback of a project that is gone is filtered', async () => {
    const meta = await fresh()
    await commit(meta, { feedback: [{ row: said({ projectId: 99 }), outcome }] })
    expect(await quantities(meta)).toEqual(['user_report filtered discarded 1'])
  })

  test('feedback waits for its issue, and is asked for by its time', async () => {
    const meta = await fresh()
    await commit(meta, {
      feedback: [
        { row: said(), outcome },
        { row: said({ feedbackId: 'e'.repeat(32), eventId: '' }), outcome },
      ],
    })
    const [item] = await meta.feedback.unlinkedFeedback(nowMs, 10)
    expect([
      item?.eventId,
      (await meta.feedback.unlinkedFeedback(nowMs, 10)).length,
      await meta.feedback.unlinkedFeedback(nowMs - 1, 10),
    ]).toEqual(['a'.repeat(32), 1, []])
    await meta.feedback.linkFeedback(item?.id ?? 0, { nextMs: nowMs + 5 })
    expect([
      (await meta.feedback.unlinkedFeedback(nowMs, 10)).length,
      (await meta.feedback.unlinkedFeedback(nowMs + 5, 10)).length,
    ]).toEqual([0, 1])
    await commit(meta, { events: [effect()] })
    await meta.feedback.linkFeedback(item?.id ?? 0, { issueId: 1 })
    expect(await meta.feedback.unlinkedFeedback(nowMs + dayMs, 10)).toEqual([])
    expect((await meta.feedback.feedbackOfIssue(1, 10)).map((row) => row.id)).toEqual([item?.id])
    const asked = { projectIds: [1], filter: { op: 'feedback' as const } }
    expect(await meta.issues.countIssues(asked)).toBe(1)
    await meta.feedback.setFeedbackState(item?.id ?? 0, 'spam', 'ann', nowMs)
    expect([await meta.feedback.feedbackOfIssue(1, 10), await meta.feedback.countFeedback([1])]).toEqual([
      [],
      { new: 1, resolved: 0, spam: 1 },
    ])
    expect(await meta.issues.countIssues(asked)).toBe(0)
  })

  test('feedback goes with its screenshots, by hand and by time', async () => {
    const meta = await fresh()
    const row = said({ kind: 'feedback' })
    await commit(meta, { feedback: [{ row, outcome }], attachments: [attachment(row.feedbackId, 'shot')] })
    const [item] = await meta.feedback.listFeedback({ projectIds: [1], max: 1 })
    expect(await meta.feedback.deleteFeedback(item?.id ?? 0)).toEqual([attachment(row.feedbackId, 'shot').blobKey])
    expect([
      await meta.attachments.attachmentsOf(1, row.feedbackId),
      await meta.feedback.deleteFeedback(item?.id ?? 0),
    ]).toEqual([[], []])
    await commit(meta, { feedback: [{ row, outcome }] })
    await meta.retention.prune(nowMs, nowMs, 0)
    expect(await meta.feedback.listFeedback({ projectIds: [1], max: 1 })).toHaveLength(1)
    await meta.retention.prune(nowMs, nowMs + 1, 0)
    expect(await meta.feedback.listFeedback({ projectIds: [1], max: 1 })).toEqual([])
  })
}

const ask = (meta: MetaStore, kind: 'issue' | 'discard' | 'project', issueId: number | null = 1) =>
  meta.retention.requestRemoval({ kind, projectId: 1, issueId: kind === 'project' ? null : issueId, userId: 'ann' })

function removalCases(fresh: () => Promise<MetaStore>): void {
  test('a removal is asked for once, and only of what is there', async () => {
    const meta = await fresh()
    await commit(meta, { events: [effect()] })
    const first = await ask(meta, 'issue')
    expect((await ask(meta, 'discard')).id).toBe(first.id)
    expect(await meta.retention.openRemovals()).toMatchObject([{ stage: 'asked', title: 'WEB-1', userId: 'ann' }])
    expect([await codeOf(() => ask(meta, 'issue', 9)), await codeOf(() => ask(meta, 'issue', 2))]).toEqual([
      'NOT_FOUND',
      'NOT_FOUND',
    ])
    await meta.retention.setRemoval(first.id, { stage: 'done', endedMs: nowMs })
    expect(await meta.retention.openRemovals()).toEqual([])
    expect(await meta.retention.removalsOf(1, 5)).toMatchObject([{ endedMs: nowMs }])
  })

  test('an issue goes with what hangs on it; what the ledger counted is noted once', async () => {
    const meta = await fresh()
    await commit(meta, {
      events: [effect(), effect({ eventId: 'b'.repeat(32) })],
      feedback: [{ row: said(), outcome }],
    })
    await meta.feedback.linkFeedback(1, { issueId: 1 })
    const { id } = await ask(meta, 'issue')
    for (let round = 0; round < 2; round++) await meta.retention.removeRows(id, 2)
    expect([
      await meta.issues.issueById(1),
      await meta.feedback.listFeedback({ projectIds: [1], max: 9 }),
      (await meta.issues.hashesOf([1])).get(1),
    ]).toEqual([undefined, [], []])
    expect([
      (await meta.retention.removedEvents()).get(1),
      (await meta.retention.removalById(id))?.stage,
      (await meta.retention.removalById(id))?.events,
    ]).toEqual([2, 'blobs', 2])
    await commit(meta, { events: [effect()] })
    expect((await meta.issues.issueById(2))?.shortId).toBe('WEB-2')
  })

  test('a discarded fingerprint is told to refine until it is taken back', async () => {
    const meta = await fresh()
    await commit(meta, { events: [effect({ hashes: [hash(1), hash(2)] })] })
    await meta.retention.removeRows((await ask(meta, 'discard')).id, 1)
    expect((await meta.projects.projectSettings(1))?.discardedHashes?.toSorted()).toEqual([hash(1), hash(2)])
    const { title, culprit } = effect()
    const item = { shortId: 'WEB-1', title, culprit, userId: 'ann' }
    expect(title).not.toBe('')
    expect(await meta.retention.discardedOf(1)).toMatchObject([item, item])
    await meta.retention.undiscard(1, 'WEB-1')
    expect((await meta.projects.projectSettings(1))?.discardedHashes).toBeUndefined()
  })

  test('files are doomed with the events that are named, and no others', async () => {
    const meta = await fresh()
    const ids = ['a', 'b', 'c'].map((letter) => letter.repeat(32))
    await commit(meta, { events: [effect()], attachments: ids.map((eventId) => attachment(eventId, 'x')) })
    expect(await meta.retention.attachedEventIds(1, '', 2)).toEqual(ids.slice(0, 2))
    expect(await meta.retention.attachedEventIds(1, ids[1] ?? '', 2)).toEqual(ids.slice(2))
    const { id } = await ask(meta, 'issue')
    await meta.retention.doomAttachments(id, 1, ids.slice(0, 2))
    expect(await meta.retention.doomedBlobs(id, 9)).toEqual(
      ids.slice(0, 2).map((item) => attachment(item, 'x').blobKey),
    )
    expect(await meta.retention.attachedEventIds(1, '', 9)).toEqual(ids.slice(2))
    await meta.retention.forgetDoomed(await meta.retention.doomedBlobs(id, 1))
    expect(await meta.retention.doomedBlobs(id, 9)).toHaveLength(1)
  })

  test('the keys of blobs are those of all rows, or of the rows since a mark', async () => {
    const meta = await fresh()
    const dead = { jpos: 5, projectId: 1, keyId: 1, receivedMs: nowMs, reason: 'x', bytes: 1, blobKey: 'dead/5' }
    const named = (letter: string) => attachment(letter.repeat(32), 'x')
    expect(await meta.snapshots.bytes()).toBeGreaterThan(100_000)
    expect([await meta.snapshots.blobWatermark(), await meta.snapshots.blobKeys()]).toEqual([
      { attachment: 0, deadItem: 0, bundle: 0 },
      [],
    ])
    await commit(meta, { events: [effect()], attachments: [named('a'), named('b')], dead: [dead] })
    const mark = await meta.snapshots.blobWatermark()
    expect(await meta.snapshots.blobKeys(mark)).toEqual([])
    // Ids are not reused, so later rows are found whatever was deleted.
    await meta.retention.doomAttachments((await ask(meta, 'issue')).id, 1, ['b'.repeat(32)])
    await commit(meta, { attachments: [named('c')], dead: [{ ...dead, jpos: 6, blobKey: 'dead/6' }] })
    expect(await meta.snapshots.blobKeys(mark)).toEqual([named('c').blobKey, 'dead/6'])
    expect(await meta.snapshots.blobKeys()).toEqual([named('a').blobKey, named('c').blobKey, 'dead/5', 'dead/6'])
  })

  test('a project ends for accept when it is asked, and for refine when it is gone', async () => {
    const meta = await fresh()
    const dead = { jpos: 5, projectId: 1, keyId: 1, receivedMs: nowMs, reason: 'x', bytes: 1, blobKey: 'dead/5' }
    await commit(meta, { events: [effect()], attachments: [attachment('a'.repeat(32), 'x')], dead: [dead] })
    const before = (await meta.projects.keySnapshot()).version
    const { id } = await ask(meta, 'project')
    expect([
      (await meta.projects.keySnapshot()).keys,
      (await meta.projects.keySnapshot()).version > before,
      (await meta.projects.projectById(1))?.slug,
    ]).toEqual([{}, true, 'web'])
    await meta.retention.removeRows(id, 1)
    expect([
      await meta.projects.projectById(1),
      await meta.issues.issueById(1),
      (await meta.snapshots.tally()).deadItems,
      (await meta.snapshots.tally()).attachments,
    ]).toEqual([undefined, undefined, 0, 0])
    expect((await meta.retention.doomedBlobs(id, 9)).sort()).toEqual([
      attachment('a'.repeat(32), 'x').blobKey,
      'dead/5',
    ])
    expect(await meta.projects.projectSettings(1)).toMatchObject({ removed: true, organizationId: 1 })
    expect([await meta.projects.projectSettings(77), await meta.snapshots.faults()]).toEqual([undefined, []])
  })
}

function organizationCases(fresh: () => Promise<MetaStore>): void {
  test('an organization’s old slug leads to it, until another one takes it', async () => {
    const meta = await fresh()
    await meta.organizations.updateOrganization(1, { slug: 'new' }, 90)
    await meta.organizations.updateOrganization(1, { slug: 'newer', name: 'Newer' }, 90)
    expect([
      await meta.organizations.organizationBySlug('acme'),
      (await meta.organizations.organizationByOldSlug('acme'))?.slug,
    ]).toEqual([undefined, 'newer'])
    await meta.organizations.createOrganization({ slug: 'other', name: 'Other', ownerUserId: 'bob' })
    await meta.organizations.updateOrganization(2, { slug: 'acme' }, 90)
    expect([
      (await meta.organizations.organizationBySlug('acme'))?.id,
      await meta.organizations.organizationByOldSlug('acme'),
    ]).toEqual([2, undefined])
    await meta.organizations.updateOrganization(1, { slug: 'new' }, 90)
    expect([
      await meta.organizations.organizationByOldSlug('new'),
      (await meta.organizations.organizationByOldSlug('newer'))?.slug,
    ]).toEqual([undefined, 'new'])
    expect(await codeOf(() => meta.organizations.updateOrganization(1, { slug: 'acme' }, 90))).toBe('CONFLICT')
  })

  test.each<[object, string]>([
    [{ slug: '' }, 'VALIDATION'],
    [{ slug: '123' }, 'VALIDATION'],
    [{ name: ' ' }, 'VALIDATION'],
    [{ retentionErrorsDays: 0 }, 'VALIDATION'],
    [{ retentionErrorsDays: 91 }, 'VALIDATION'],
    [{ retentionErrorsDays: 1.5 }, 'VALIDATION'],
    [{ retentionErrorsDays: Number.NaN }, 'VALIDATION'],
    [{ retentionErrorsDays: 90 }, 'nothing thrown'],
    [{ retentionErrorsDays: null }, 'nothing thrown'],
  ])('a change of an organization to %j: %s', async (change, code) => {
    const meta = await fresh()
    expect(await codeOf(() => meta.organizations.updateOrganization(1, change, 90))).toBe(code)
    expect((await meta.organizations.organizationSettings(1)).rev).toBe(code === 'VALIDATION' ? 0 : 1)
  })

  test('an organization is not changed for an older revision', async () => {
    const meta = await fresh()
    await meta.organizations.updateOrganization(1, { name: 'One' }, 90, { userId: 'ann', rev: 0 })
    expect(
      await codeOf(() => meta.organizations.updateOrganization(1, { name: 'Two' }, 90, { userId: 'bob', rev: 0 })),
    ).toBe('CONFLICT')
    expect((await meta.organizations.organizationById(1))?.name).toBe('One')
  })

  test('a retention of its own is told with its projects, and what it dropped is noted', async () => {
    const meta = await fresh()
    expect([await meta.organizations.shorterRetentions(), await meta.organizations.retainedSince()]).toEqual([
      [],
      new Map(),
    ])
    await meta.organizations.updateOrganization(1, { retentionErrorsDays: 30 }, 90)
    expect(await meta.organizations.shorterRetentions()).toEqual([{ organizationId: 1, days: 30, projectIds: [1] }])
    await commit(meta, { feedback: [{ row: said(), outcome }], attachments: [attachment('a'.repeat(32), 'x')] })
    expect(await meta.organizations.dropExpired(1, [1], nowMs)).toEqual([])
    expect(await meta.organizations.dropExpired(1, [1], nowMs + 1)).toEqual([attachment('a'.repeat(32), 'x').blobKey])
    expect(await meta.feedback.listFeedback({ projectIds: [1], max: 1 })).toEqual([])
    await meta.organizations.dropExpired(1, [1], nowMs - 5)
    expect(await meta.organizations.retainedSince()).toEqual(new Map([[1, nowMs + 1]]))
  })
}

function organizationRemovalCases(fresh: () => Promise<MetaStore>): void {
  const asked = (meta: MetaStore) => meta.retention.requestOrganizationRemoval({ organizationId: 1, userId: 'ann' })

  test('an organization is asked for once, with its projects, whose keys end', async () => {
    const meta = await fresh()
    await meta.projects.createProject({ organizationId: 1, slug: 'api', name: 'Api', platform: null })
    const first = await asked(meta)
    expect((await asked(meta)).id).toBe(first.id)
    expect(
      (await meta.retention.openRemovals()).map((openRemoval) => [
        openRemoval.kind,
        openRemoval.projectId,
        openRemoval.title,
        openRemoval.userId,
      ]),
    ).toEqual([
      ['organization', 0, 'Acme', 'ann'],
      ['project', 1, 'Web', 'ann'],
      ['project', 2, 'Api', 'ann'],
    ])
    expect([(await meta.projects.keySnapshot()).keys, (await meta.organizations.memberOf(1, 'ann'))?.role]).toEqual([
      {},
      'owner',
    ])
    expect(await codeOf(() => meta.retention.requestOrganizationRemoval({ organizationId: 9, userId: 'ann' }))).toBe(
      'NOT_FOUND',
    )
  })

  test('it goes after its projects, with all that names it, and its sums stay', async () => {
    const meta = await fresh()
    const other = await meta.organizations.createOrganization({ slug: 'other', name: 'Other', ownerUserId: 'eve' })
    await meta.organizations.invite({
      organizationId: 1,
      email: 'b@c.example',
      role: 'member',
      invitedBy: 'ann',
      secret: 's',
      nowMs,
    })
    await meta.people.createToken({ name: 't', userId: 'ann', organizationId: 1, scopes: [], secret: 'x', nowMs })
    await meta.organizations.updateOrganization(1, { slug: 'acme-2' }, 90)
    await commit(meta, { events: [effect()] })
    const { id } = await asked(meta)
    await meta.retention.removeOrganization(id)
    expect([
      (await meta.organizations.organizationById(1))?.name,
      (await meta.retention.removalById(id))?.stage,
    ]).toEqual(['Acme', 'asked'])
    const project = (await meta.retention.openRemovals()).find((openRemoval) => openRemoval.kind === 'project')
    await meta.retention.removeRows(project?.id ?? 0, 3)
    await meta.retention.setRemoval(project?.id ?? 0, { blobs: 2, stage: 'done', endedMs: nowMs })
    expect(await meta.retention.requestProjectRemovals(1, 'ann')).toBe(0)
    expect((await meta.retention.organizationLeft(1)).toSorted()).toEqual([
      'api_token',
      'invitation',
      'member',
      'old_organization_slug',
      'organization',
      'short_id',
    ])
    for (let round = 0; round < 2; round++) await meta.retention.removeOrganization(id)
    expect(await meta.retention.organizationLeft(1)).toEqual([])
    expect([
      await meta.organizations.organizationById(1),
      await meta.organizations.organizationByOldSlug('acme'),
      await meta.people.tokenBySecret('x'),
    ]).toEqual([undefined, undefined, undefined])
    expect(await meta.retention.organizationRemovalsBy('ann', 9)).toMatchObject([
      { id, kind: 'organization', title: 'Acme', stage: 'proof', events: 3, blobs: 2 },
    ])
    expect([
      await meta.retention.organizationRemovalsBy('eve', 9),
      (await meta.organizations.organizations()).map((organization) => organization.id),
    ]).toEqual([[], [other.id]])
    // Events that waited in the journal are filtered, not dead. The ledger counts the deleted events as removed.
    expect([(await meta.projects.projectSettings(1))?.removed, (await meta.retention.removedEvents()).get(1)]).toEqual([
      true,
      1,
    ])
  })

  test('a project that is made in between holds it, and is asked for', async () => {
    const meta = await fresh()
    const { id } = await asked(meta)
    for (const openRemoval of await meta.retention.openRemovals())
      if (openRemoval.kind === 'project') await meta.retention.removeRows(openRemoval.id, 0)
    await meta.projects.createProject({ organizationId: 1, slug: 'late', name: 'Late', platform: null })
    await meta.retention.removeOrganization(id)
    expect((await meta.organizations.organizationById(1))?.name).toBe('Acme')
    expect([
      await meta.retention.requestProjectRemovals(1, 'ann'),
      await meta.retention.requestProjectRemovals(1, 'ann'),
    ]).toEqual([1, 1])
    expect((await meta.retention.openRemovals()).filter((openRemoval) => openRemoval.title === 'Late')).toHaveLength(1)
  })
}
