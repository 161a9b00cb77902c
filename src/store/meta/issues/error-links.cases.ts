import { describe, expect, test } from 'vitest'
import { browser, count, failureRig, id, joinAll, numbers, server, side, sure } from '../failure-rig.cases.ts'
import { commit, effect, hash, nowMs } from '../fixture.cases.ts'
import type { EventEffect, FailureEffect } from '../meta.ts'
import type { MetaStore } from '../meta-store.ts'

/** Cases of error links: they must not depend on the order of arrival. */
export function failureCases(fresh: () => Promise<MetaStore>): void {
  const { open, linkOf } = failureRig(fresh)

  describe('links of hidden server errors', () => {
    test.each([
      ['browser first', [[browser(1, sure(1))], [server(1, sure(1))]]],
      ['server first', [[server(1, sure(1))], [browser(1, sure(1))]]],
      ['in one batch', [[browser(1, sure(1)), server(1, sure(1))]]],
    ])('%s', async (_name, batches) => {
      const meta = await open()
      for (const events of batches) {
        await commit(meta, { events })
        await joinAll(meta)
      }
      expect(await linkOf(meta)).toEqual(['digest', id(1001)])
      expect(await meta.errorLinks.errorEndState(1, id(1))).toEqual({ side: 'browser', waiting: false, alone: '' })
    })

    test('an issue names the server errors that its events hide, the most frequent first', async () => {
      const meta = await open()
      const links = [1, 2, 2].map((n, at) => browser(10 + at, sure(n)))
      await commit(meta, { events: [...links, server(1, sure(1)), server(2, sure(2)), effect({ hashes: [hash(77)] })] })
      await joinAll(meta)
      const issueOf = async (projectId: number, groupHash: string) =>
        (await meta.issues.issueIdsOf([{ projectId, groupHash }])).get(`${projectId}:${groupHash}`) ?? 0
      const hiding = await issueOf(1, links[0]?.hashes[0] ?? '')
      const [one, two] = [await issueOf(2, hash(1001)), await issueOf(2, hash(1002))]
      const hidden = await meta.errorLinks.hiddenErrorsOf([hiding, one, await issueOf(1, hash(77))], [1, 2])
      expect([...hidden.keys()]).toEqual([hiding])
      expect(hidden.get(hiding)?.map(({ id, events }) => [id, events])).toEqual([
        [two, 2],
        [one, 1],
      ])
      expect(hidden.get(hiding)?.[0]?.shortId).toBe((await meta.issues.issueById(two))?.shortId)
      expect(await meta.errorLinks.hiddenErrorsOf([hiding], [1])).toEqual(new Map())
      await meta.merges.mergeIssues(one, [two], null, nowMs)
      expect((await meta.errorLinks.hiddenErrorsOf([hiding], [2])).get(hiding)).toMatchObject([{ events: 3 }])
    })

    test('a record that is refined again makes no second side and no second link', async () => {
      const meta = await open()
      const events = [server(1, sure(1)), browser(1, { ...sure(1), userHash: 'u' })]
      for (let round = 0; round < 2; round++) {
        await commit(meta, { events })
        await joinAll(meta)
      }
      const issueId =
        (await meta.issues.issueIdsOf([{ projectId: 2, groupHash: hash(1001) }])).get(`2:${hash(1001)}`) ?? 0
      expect(await meta.errorLinks.clientEndsOf(issueId, [1], 9)).toMatchObject({
        events: 1,
        people: 1,
        newest: [{ reason: 'digest' }],
      })
      expect((await meta.errorLinks.linkErrors(200, nowMs)).looked).toBe(0)
    })

    test('what waits says so, and what stays alone why', async () => {
      const meta = await open()
      await commit(meta, { events: [browser(1, sure(1)), browser(2, { traceId: 't' }), effect({ eventId: id(3) })] })
      expect(await meta.errorLinks.errorEndState(1, id(1))).toEqual({ side: 'browser', waiting: true, alone: '' })
      await joinAll(meta)
      await commit(meta, { events: [server(1, { traceId: 't' }), server(2, { traceId: 't' })] })
      await joinAll(meta)
      expect(
        await Array.fromAsync([1, 2], async (n) => (await meta.errorLinks.errorEndState(1, id(n)))?.alone),
      ).toEqual(['none', 'several'])
      expect(await meta.errorLinks.errorEndState(1, id(3))).toBeUndefined()
    })

    test('a link by trace is taken back when the trace turns out to hold two failures', async () => {
      const meta = await open()
      await commit(meta, { events: [browser(1, { traceId: 't' }), server(1, { traceId: 't' })] })
      await joinAll(meta)
      expect(await linkOf(meta)).toEqual(['trace', id(1001)])
      await commit(meta, { events: [server(2, { traceId: 't' })] })
      expect((await meta.errorLinks.linkErrors(200, nowMs)).issueIds).toHaveLength(2)
      expect([await linkOf(meta), (await meta.errorLinks.errorEndState(1, id(1)))?.alone]).toEqual([
        undefined,
        'several',
      ])
    })

    test('a surer link takes the place of another one', async () => {
      const meta = await open()
      await commit(meta, { events: [browser(1, { ...sure(1), traceId: 't' }), server(2, { traceId: 't' })] })
      await joinAll(meta)
      expect(await linkOf(meta)).toEqual(['trace', id(1002)])
      await commit(meta, { events: [server(1, sure(1), { receivedMs: nowMs - 9e6 })] })
      await joinAll(meta)
      // No browser event waits for it. Only its trace, or events that wait for its digest, are checked again.
      await commit(meta, { events: [server(3, { ...sure(1), traceId: 't' }, { hashes: [hash(1001)] })] })
      await joinAll(meta)
      expect(await linkOf(meta)).toEqual(['digest', id(1003)])
    })

    test('what a trace left in doubt a digest decides', async () => {
      const meta = await open()
      await commit(meta, {
        events: [browser(1, { ...sure(1), traceId: 't' }), ...[2, 3].map((n) => server(n, { traceId: 't' }))],
      })
      await joinAll(meta)
      expect([await linkOf(meta), (await meta.errorLinks.errorEndState(1, id(1)))?.alone]).toEqual([
        undefined,
        'several',
      ])
      await commit(meta, { events: [server(1, sure(1))] })
      await joinAll(meta)
      expect(await linkOf(meta)).toEqual(['digest', id(1001)])
    })

    test('a digest of two issues at one time is in doubt, also for what was linked before', async () => {
      const meta = await open()
      await commit(meta, { events: [browser(1, sure(1)), server(1, sure(1))] })
      await joinAll(meta)
      await commit(meta, { events: [server(2, sure(1))] })
      await joinAll(meta)
      expect([await linkOf(meta), (await meta.errorLinks.errorEndState(1, id(1)))?.alone]).toEqual([
        undefined,
        'several',
      ])
    })

    // A forged server event: anyone who knows the key of the browser's project can send it.
    const forged = (n: number, failure: Partial<FailureEffect>, change: Partial<EventEffect> = {}) =>
      effect({ eventId: id(5000 + n), hashes: [hash(77)], failure: side({ ...failure }), ...change })

    test.each([1, 4, 5, 6, 60])('%i forged server events with a sure digest never get its link', async (crowd) => {
      const real = server(1, { ...sure(1), traceId: 't' }, { receivedMs: nowMs - 180_000 })
      const near = (n: number) => forged(n, { ...sure(1), traceId: 'u' }, { receivedMs: nowMs + n })
      const own = browser(1, { ...sure(1), traceId: 'u' }, { receivedMs: nowMs + 70 })
      const batches = [[real], numbers(crowd).map(near), [own]]
      for (const order of [
        [0, 1, 2],
        [0, 2, 1],
        [2, 0, 1],
        [1, 2, 0],
      ]) {
        const meta = await open()
        const links: (string | undefined)[] = []
        for (const at of order) {
          await commit(meta, { events: batches[at] ?? [] })
          await joinAll(meta)
          links.push((await linkOf(meta))?.[1])
        }
        expect([order, links.at(-1), (await meta.errorLinks.errorEndState(1, id(1)))?.alone]).toEqual([
          order,
          undefined,
          'several',
        ])
        // A forged event has the link only while no other group has the digest.
        if (order[0] !== 1) expect(links.filter((link) => link !== undefined && link !== id(1001))).toEqual([])
      }
    })

    test('1,200 links of a digest become doubtful in parts, when a second issue has it', async () => {
      const meta = await open()
      await commit(meta, { events: [server(1, sure(1)), ...numbers(1200).map((n) => browser(n, sure(1)))] })
      await joinAll(meta)
      await commit(meta, { events: [forged(1, sure(1))] })
      expect(Math.max(...(await joinAll(meta)).map((look) => look.decided))).toBeLessThanOrEqual(1000)
      expect(await count(meta, 1200)).toEqual({ right: 0, wrong: 0, alone: 1200 })
    })

    test('21 groups of one page and moment are too many to compare: none is taken for the only one', async () => {
      const meta = await open()
      const hint = { digest: '111', hints: 1 }
      const old = numbers(20).map((n) => forged(n, hint, { hashes: [hash(n + 2)], receivedMs: nowMs - 9e6 }))
      await commit(meta, { events: [...old, forged(30, hint), browser(1, hint), server(1, hint)] })
      await joinAll(meta)
      expect([await linkOf(meta), (await meta.errorLinks.errorEndState(1, id(1)))?.alone]).toEqual([
        undefined,
        'several',
      ])
    })

    test.each([
      ['before it', [-9000, -10, -500], -10],
      ['behind it', [9000, 10, 500], 10],
      ['at both sides', [-9000, -20, 7000, 10], 10],
    ])(
      'the nearest server event of the issue has the link, whichever came first: %s',
      async (_name, offsets, nearest) => {
        for (const list of [offsets, offsets.toReversed()]) {
          const meta = await open()
          await commit(meta, { events: [browser(1, sure(1), { receivedMs: nowMs })] })
          for (const at of list) {
            await commit(meta, { events: [server(500 + at, sure(1), { hashes: [hash(9)], receivedMs: nowMs + at })] })
            await joinAll(meta)
          }
          expect(await linkOf(meta)).toEqual(['digest', id(1500 + nearest)])
        }
      },
    )

    test('one more event of the person makes a link doubtful, also one with a sure digest', async () => {
      const meta = await open()
      await commit(meta, { events: [browser(1, { digest: '111', hints: 1 }), server(1, { digest: '111' })] })
      await joinAll(meta)
      expect(await linkOf(meta)).toEqual(['route', id(1001)])
      await commit(meta, { events: [browser(2, sure(2))] })
      await joinAll(meta)
      expect([await linkOf(meta), (await meta.errorLinks.errorEndState(1, id(1)))?.alone]).toEqual([
        undefined,
        'several',
      ])
    })

    test('a browser event that is decided before its turn still makes others doubtful at its turn', async () => {
      const meta = await open()
      await commit(meta, { events: [browser(1, { digest: '111', hints: 1 }), server(1, { digest: '111' })] })
      await joinAll(meta)
      await commit(meta, { events: [server(3, { traceId: 't' }), browser(2, { traceId: 't' })] })
      while ((await meta.errorLinks.linkErrors(1, nowMs)).more);
      expect([await linkOf(meta), await linkOf(meta, 2)]).toEqual([undefined, ['trace', id(1003)]])
    })

    test('an event that comes again after it was let go is linked once, and holds up nothing', async () => {
      const meta = await open()
      const own = (n: number, at: number) => browser(n, sure(n), { receivedMs: nowMs + at })
      await commit(meta, { events: [own(1, -9), server(1, sure(1))] })
      await joinAll(meta)
      await commit(meta, { events: [own(2, 1), own(3, 2)] })
      await joinAll(meta)
      expect(await meta.errorLinks.limitErrorEnds(2)).toBe(2)
      expect([await meta.errorLinks.errorEndState(1, id(1)), await linkOf(meta)]).toEqual([undefined, undefined])
      await commit(meta, { events: [own(1, 9), own(9, 9), server(9, sure(9))] })
      await joinAll(meta)
      expect(await Array.fromAsync([1, 9], async (n) => linkOf(meta, n))).toEqual(
        [1, 9].map((n) => ['digest', id(1000 + n)]),
      )
    })

    test('of two organizations none is linked', async () => {
      const meta = await open()
      const { id: organizationId } = await meta.organizations.createOrganization({
        slug: 'other',
        name: 'Other',
        ownerUserId: 'bob',
      })
      const other = await meta.projects.createProject({ organizationId, slug: 'api', name: 'Api', platform: 'node' })
      await commit(meta, { events: [browser(1, { ...sure(1), traceId: 't' })] })
      await commit(meta, { events: [server(1, { ...sure(1), traceId: 't' }, { projectId: other.id })] })
      await joinAll(meta)
      expect(await linkOf(meta)).toBeUndefined()
    })

    test('people are counted once, and only in projects that are asked for; the issue’s own count stays', async () => {
      const meta = await open()
      const events = numbers(5).map((n) => browser(n, { ...sure(1), userHash: ['a', 'a', 'b', '', ''][n] ?? '' }))
      await commit(meta, { events: [server(1, sure(1)), ...events] })
      await joinAll(meta)
      const issueId =
        (await meta.issues.issueIdsOf([{ projectId: 2, groupHash: hash(1001) }])).get(`2:${hash(1001)}`) ?? 0
      const { newest, ...sums } = await meta.errorLinks.clientEndsOf(issueId, [1, 2], 3)
      expect([sums, newest.length]).toEqual([{ events: 5, people: 2, lastMs: nowMs + 5 }, 3])
      expect(await meta.errorLinks.clientEndsOf(issueId, [2], 3)).toMatchObject({ events: 0, newest: [] })
      expect(await meta.errorLinks.clientEndsOf(issueId, [], 3)).toMatchObject({ events: 0, newest: [] })
      expect(await meta.errorLinks.errorLinksOfEvent(2, id(1001), [1], 2)).toMatchObject({ events: 5 })
      expect((await meta.issues.issueById(issueId))?.count).toBe(1)
    })

    test('1,000 people with one digest are all linked, whichever of its server errors; those of one batch are bounded', async () => {
      const meta = await open()
      const browsers = numbers(1000).map((n) => browser(n, { ...sure(1), userHash: `${n}` }))
      const servers = numbers(300).map((n) => server(n, sure(1), { hashes: [hash(1001)] }))
      await commit(meta, { events: [...browsers, ...servers] })
      await joinAll(meta)
      const issueId =
        (await meta.issues.issueIdsOf([{ projectId: 2, groupHash: hash(1001) }])).get(`2:${hash(1001)}`) ?? 0
      expect(await meta.errorLinks.clientEndsOf(issueId, [1], 1)).toMatchObject({ events: 1000, people: 1000 })
      expect(
        await Array.fromAsync([199, 200], async (n) => (await meta.errorLinks.errorEndState(2, id(1000 + n)))?.side),
      ).toEqual(['server', undefined])
    })

    test('1,200 people who wait for one server event are linked in parts', async () => {
      const meta = await open()
      await commit(meta, { events: numbers(1200).map((n) => browser(n, sure(1), { receivedMs: nowMs + n })) })
      await joinAll(meta)
      await commit(meta, { events: [server(1, sure(1))] })
      const looks = await joinAll(meta)
      expect(looks.reduce((sum, look) => sum + look.linked, 0)).toBe(1200)
      expect(Math.max(...looks.map((look) => look.decided))).toBeLessThanOrEqual(1000)
      for (const n of numbers(1200)) expect((await linkOf(meta, n))?.[1]).toBe(id(1001))
    })

    test.each<[string, Partial<FailureEffect>, number]>([
      ['on other pages', {}, 0],
      ['on other pages, for a sure one', { sure: true }, 0],
      ['on its page', { route: '/p/7' }, 1],
      ['on its page, for a sure one', { route: '/p/7', sure: true }, 1],
    ])(
      'of a crowd that heard of a digest only those are asked that it can be of: %s',
      async (_name, change, decided) => {
        const meta = await open()
        const heard = (n: number) => browser(n, { digest: '111', hints: 1, route: `/p/${n}`, userHash: `${n}` })
        await commit(meta, { events: numbers(600).map(heard) })
        await joinAll(meta)
        await commit(meta, { events: [server(1, { digest: '111', ...change })] })
        expect(await joinAll(meta)).toMatchObject([{ looked: 1, decided, linked: decided }])
      },
    )

    test('ten digests that a thousand wait for each are ten times the work of one, not one transaction', async () => {
      const meta = await open()
      for (const d of numbers(10)) {
        const own = { digest: `${200_000 + d}`, sure: true }
        await commit(meta, { events: numbers(300).map((n) => browser(d * 300 + n, own)) })
      }
      await joinAll(meta)
      const own = (d: number) => server(d, { digest: `${200_000 + d}`, sure: true })
      await commit(meta, { events: numbers(10).map(own) })
      const looks = await joinAll(meta)
      expect(looks.reduce((sum, look) => sum + look.linked, 0)).toBe(3000)
      expect(Math.max(...looks.map((look) => look.decided))).toBeLessThanOrEqual(1300)
    })

    test('events of two groups that are mapped again into one are linked', async () => {
      const meta = await open()
      const events = [server(1, sure(1)), server(2, sure(1)), browser(1, sure(1))]
      await commit(meta, { events })
      await joinAll(meta)
      expect((await meta.errorLinks.errorEndState(1, id(1)))?.alone).toBe('several')
      await mapAgain(meta, events[1], 1002, 1001)
      await joinAll(meta)
      expect((await linkOf(meta))?.[0]).toBe('digest')
    })

    /** Reprocesses an event, which moves it to another group. */
    const mapAgain = async (meta: MetaStore, event: EventEffect | undefined, from: number, to: number) => {
      if (!event) throw new Error('no event')
      const rewrite = {
        projectId: 2,
        week: '2026-11-16',
        gen: 0,
        positions: [1],
        from: [hash(from)],
        to: [hash(to)],
        hours: [0],
        token: 't',
      }
      const step = await meta.retention.planReprocessStep(
        (await meta.retention.beginReprocessing(2, 'upload', 9)).id,
        rewrite,
      )
      await meta.retention.commitReprocessStep(step.id, [
        { fromHash: hash(from), effect: { ...event, hashes: [hash(to)] } },
      ])
    }

    test('events whose frames are mapped again stay linked', async () => {
      const meta = await open()
      const events = [server(1, sure(1)), server(2, { digest: '5' }), browser(1, sure(1))]
      await commit(meta, { events })
      await joinAll(meta)
      await mapAgain(meta, events[0], 1001, 1002)
      const issueId =
        (await meta.issues.issueIdsOf([{ projectId: 2, groupHash: hash(1002) }])).get(`2:${hash(1002)}`) ?? 0
      expect(await meta.errorLinks.clientEndsOf(issueId, [1], 1)).toMatchObject({
        events: 1,
        newest: [{ server: { groupHash: hash(1002) } }],
      })
    })
  })
}
