import { describe, expect, test } from 'vitest'
import { decide, type ErrorEnd, type LinkCandidates, routeWindowMs, traceWindowMs } from './error-links.ts'

const atMs = 1_795_000_000_000
const sides = { count: 0 }
const side = (change: Partial<ErrorEnd>): ErrorEnd => ({
  side: 'server',
  digest: '',
  sure: false,
  hints: 0,
  projectId: 1,
  eventId: `${++sides.count}`,
  traceId: '',
  route: '/cart',
  userHash: 'u',
  receivedMs: atMs,
  group: 'g1',
  ...change,
})
const browser = (change: Partial<ErrorEnd> = {}) => side({ side: 'browser', group: 'b', ...change })
/** All matching ends, as the store would find them. */
const around = (item: ErrorEnd, all: readonly ErrorEnd[]): LinkCandidates => ({
  ofDigest: item.digest === '' ? [] : all.filter((two) => two.side === 'server' && two.digest === item.digest),
  ofTrace: item.traceId === '' ? [] : all.filter((two) => two.traceId === item.traceId),
  ofRoute: all.filter((two) => two.side === 'browser' && two.route === item.route && two.userHash === item.userHash),
  crowded: false,
})
const answer = (item: ErrorEnd, ...others: ErrorEnd[]) => {
  const found = decide(item, around(item, [item, ...others]))
  return 'server' in found ? [found.reason, found.server.eventId] : found.alone
}
const sure = { digest: '111', sure: true }
const hint = { digest: '111', sure: false, hints: 1 }

describe('by a sure digest', () => {
  test.each([
    ['whenever it came', { ...sure, receivedMs: atMs - 9e9 }, 'digest'],
    ['that the server names in a breadcrumb only: not alone', { ...hint, route: '/other' }, 'none'],
    ['that the server names in a breadcrumb only, in its trace', { ...hint, traceId: 't' }, 'trace'],
    ['another one in the same trace', { digest: '222', sure: true, traceId: 't' }, 'none'],
    ['another one in a breadcrumb of the same trace', { digest: '222', hints: 1, traceId: 't' }, 'none'],
  ])('%s', (_name, change, reason) => {
    const item = browser({ ...sure, traceId: 't' })
    const server = side(change)
    expect(answer(item, server)).toEqual(reason === 'none' ? 'none' : [reason, server.eventId])
  })

  test('of several of one group the one of its trace, else the nearest', () => {
    const [far, near] = [side({ ...sure, receivedMs: atMs - 500 }), side({ ...sure, receivedMs: atMs + 90 })]
    const same = side({ ...sure, receivedMs: atMs - 900, traceId: 't' })
    expect(answer(browser(sure), far, near)).toEqual(['digest', near.eventId])
    expect(answer(browser({ ...sure, traceId: 't' }), far, near, same)).toEqual(['digest', same.eventId])
  })

  test.each([
    ['at the same time', {}, {}],
    ['long ago', {}, { receivedMs: atMs - 9e9 }],
    ['nearer than its own', { receivedMs: atMs - traceWindowMs - 1 }, {}],
    ['in its trace', {}, { traceId: 't' }],
    ['in its trace, as its own is', { traceId: 't' }, { traceId: 't' }],
    ['and its own in its trace', { traceId: 't' }, { receivedMs: atMs - 9e9 }],
  ])('none where a second group has it, whichever came nearer: %s', (_name, own, other) => {
    const servers = [side({ ...sure, ...own }), side({ ...sure, group: 'g2', ...other })]
    expect(answer(browser({ ...sure, traceId: 't' }), ...servers)).toBe('several')
  })

  test('the one of its trace only where that came at its time', () => {
    const near = side({ ...sure, receivedMs: atMs - 500 })
    const same = side({ ...sure, receivedMs: atMs - traceWindowMs - 1, traceId: 't' })
    expect(answer(browser({ ...sure, traceId: 't' }), near, same)).toEqual(['digest', near.eventId])
  })
})

describe('by trace', () => {
  const t = { traceId: 't' }
  test('the only server error of the trace', () => {
    const server = side(t)
    expect(answer(browser(t), server)).toEqual(['trace', server.eventId])
    expect(answer(browser({ ...t, ...hint }), server)).toEqual(['trace', server.eventId])
  })
  test('the same error again is the same failure', () => {
    const again = [side({ ...t, ...hint, receivedMs: atMs - 5000 }), side({ ...t, ...hint, receivedMs: atMs - 100 })]
    expect(answer(browser(t), ...again)).toEqual(['trace', again[1]?.eventId])
  })
  test.each([
    ['it came too late', [side({ ...t, receivedMs: atMs - traceWindowMs - 1 })], 'none'],
    ['another trace', [side({ traceId: 'u' })], 'none'],
    ['two errors', [side(t), side({ ...t, group: 'g2' })], 'several'],
    ['two errors, and a breadcrumb of one of them', [side({ ...t, ...hint }), side({ ...t, digest: '2' })], 'several'],
  ])('none: %s', (_name, servers, alone) => {
    expect(answer(browser({ ...t, ...hint }), ...servers)).toBe(alone)
  })
  test('of two browser events with one server error those are linked that name it', () => {
    const server = side({ ...t, ...hint })
    const [named, bare] = [browser({ ...t, ...hint }), browser(t)]
    expect(answer(named, bare, server)).toEqual(['trace', server.eventId])
    expect(answer(bare, named, server)).toBe('several')
  })
  test('who has seen several digests can be of any', () => {
    expect(answer(browser({ ...t, hints: 2 }), side({ ...t, ...hint }))).toBe('several')
  })
})

describe('by route, time and a breadcrumb together', () => {
  test('all agree', () => {
    const server = side(hint)
    expect(answer(browser(hint), server)).toEqual(['route', server.eventId])
    expect(answer(browser(hint), browser({ ...hint, userHash: 'v' }), server)).toEqual(['route', server.eventId])
  })
  test.each([
    ['another route', [side({ ...hint, route: '/' })], 'none'],
    ['another moment', [side({ ...hint, receivedMs: atMs + routeWindowMs + 1 })], 'none'],
    ['another digest', [side({ ...hint, digest: '222' })], 'none'],
    ['two groups', [side(hint), side({ ...hint, group: 'g2' })], 'several'],
    ['the same person twice', [side(hint), browser(hint)], 'several'],
    ['the same person with another digest', [side(hint), browser({ digest: '222' })], 'several'],
  ])('none: %s', (_name, others, alone) => {
    expect(answer(browser(hint), ...others)).toBe(alone)
  })
  test('none in a crowd of which not all are compared', () => {
    const item = browser(hint)
    expect(decide(item, { ...around(item, [item, side(hint)]), crowded: true })).toEqual({ alone: 'several' })
  })
  test('neither route nor digest are guessed', () => {
    expect(answer(browser({ ...hint, route: '' }), side({ ...hint, route: '' }))).toBe('none')
    expect(answer(browser(), side(hint))).toBe('none')
  })
})
