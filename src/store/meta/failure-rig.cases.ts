import { expect } from 'vitest'
import { effect, hash, nowMs } from './fixture.cases.ts'
import type { EventEffect, FailureEffect } from './meta.ts'
import type { MetaStore } from './meta-store.ts'
export const id = (number: number) => number.toString(16).padStart(32, '0')
export const side = (change: Partial<FailureEffect>): FailureEffect => ({
  side: 'server',
  digest: '',
  sure: false,
  hints: 0,
  traceId: '',
  route: '/cart',
  userHash: '',
  ...change,
})
/** Server error number `n`. Each has its own issue in project 2. */
export const server = (n: number, failure: Partial<FailureEffect>, change: Partial<EventEffect> = {}) =>
  effect({ projectId: 2, eventId: id(1000 + n), hashes: [hash(1000 + n)], failure: side(failure), ...change })
/** Browser event number `n`. All belong to one issue of project 1. */
export const browser = (n: number, failure: Partial<FailureEffect>, change: Partial<EventEffect> = {}) =>
  effect({ eventId: id(n), failure: side({ side: 'browser', ...failure }), ...change })
export const sure = (n: number) => ({ digest: `${100_000 + n}`, sure: true })
export const numbers = (count: number) => Array.from({ length: count }, (_, n) => n)

/** Runs the linking until no open end is left. Returns the result of each run. */
export async function joinAll(meta: MetaStore) {
  const looks: Awaited<ReturnType<MetaStore['errorLinks']['linkErrors']>>[] = []
  for (let step = 0; step < 100; step++) {
    const look = await meta.errorLinks.linkErrors(200, nowMs)
    expect(look.aside).toBe(0)
    looks.push(look)
    if (!look.more) return looks
  }
  throw new Error('the join does not end')
}

export function shuffled<T>(list: readonly T[]): T[] {
  // The same order each time, so that failures are reproducible.
  return list.toSorted((a, b) => ((JSON.stringify(a).length * 7919) % 101) - ((JSON.stringify(b).length * 7919) % 101))
}

/** Counts browser events that are linked to their own server error, to another one, and to none. */
export async function count(meta: MetaStore, total: number) {
  const found = { right: 0, wrong: 0, alone: 0 }
  for (const n of numbers(total)) {
    const link = await meta.errorLinks.errorLinkOf(1, id(n))
    if (link) found[link.server.eventId === id(1000 + n) ? 'right' : 'wrong']++
    else if ((await meta.errorLinks.errorEndState(1, id(n)))?.alone) found.alone++
  }
  return found
}

/** Shared setup of the error link cases: a store with a project per side, and lookups of links. */
export function failureRig(fresh: () => Promise<MetaStore>) {
  const open = async () => {
    const meta = await fresh()
    await meta.projects.createProject({ organizationId: 1, slug: 'api', name: 'Api', platform: 'node' })
    return meta
  }
  const linkOf = async (meta: MetaStore, n = 1) => {
    const link = await meta.errorLinks.errorLinkOf(1, id(n))
    return link && [link.reason, link.server.eventId]
  }
  return { open, linkOf }
}
