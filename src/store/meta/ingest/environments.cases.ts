import { expect, test } from 'vitest'
import { codeOf, commit, effect, nowMs } from '../fixture.cases.ts'
import type { MetaStore } from '../meta-store.ts'

/** Hidden environments, for every meta store. */
export function environmentCases(fresh: () => MetaStore): void {
  test('what is known of environments, and the switch stays through later events', () => {
    const meta = fresh()
    const at = (environment: string, ms: number) => effect({ environment, timestampMs: nowMs + ms })
    commit(meta, { events: [at('prod', 5), at('dev', 1), at('prod', 9), at('', 0)] })
    expect(meta.projectEnvironments(1, { max: 9 })).toEqual([
      { name: 'dev', firstSeenMs: nowMs + 1, lastSeenMs: nowMs + 1, hidden: false },
      { name: 'prod', firstSeenMs: nowMs + 5, lastSeenMs: nowMs + 9, hidden: false },
    ])
    expect(meta.hideEnvironment(1, 'dev', true)).toMatchObject({ name: 'dev', hidden: true })
    commit(meta, { events: [at('dev', 20)] })
    expect(meta.environmentOf(1, 'dev')).toMatchObject({ hidden: true, lastSeenMs: nowMs + 20 })
    expect(
      meta.projectEnvironments(1, { max: 9, hidden: true }).map((projectEnvironment) => projectEnvironment.name),
    ).toEqual(['dev'])
    expect(
      meta.projectEnvironments(1, { max: 9, hidden: false }).map((projectEnvironment) => projectEnvironment.name),
    ).toEqual(['prod'])
    expect(meta.projectEnvironments(1, { max: 1 })).toHaveLength(1)
    expect(meta.hideEnvironment(1, 'dev', false).hidden).toBe(false)
  })

  test('of many those that are hidden are among the ones that a list has', () => {
    const meta = fresh()
    const names = ['zzz', ...Array.from({ length: 30 }, (_, i) => `e${i + 10}`)]
    commit(meta, { events: names.map((environment) => effect({ environment })) })
    meta.hideEnvironment(1, 'zzz', true)
    const list = (hidden?: boolean) =>
      meta
        .projectEnvironments(1, { max: 3, ...(hidden === undefined ? {} : { hidden }) })
        .map((projectEnvironment) => projectEnvironment.name)
    expect([list(), list(true), list(false)]).toEqual([['e10', 'e11', 'zzz'], ['zzz'], ['e10', 'e11', 'e12']])
  })

  test('over several projects an environment is hidden where nobody shows it', () => {
    const meta = fresh()
    meta.createProject({ organizationId: 1, slug: 'api', name: 'Api', platform: null })
    const seen = (environment: string, projectId: number) => effect({ environment, projectId })
    commit(meta, { events: [seen('dev', 1), seen('dev', 2), seen('test', 1), seen('prod', 2)] })
    meta.hideEnvironment(1, 'dev', true)
    meta.hideEnvironment(1, 'test', true)
    const hidden = (ids: number[]) => [...meta.hiddenEnvironments(ids)].sort()
    expect([hidden([1]), hidden([2]), hidden([1, 2]), hidden([])]).toEqual([['dev', 'test'], [], ['test'], []])
    meta.hideEnvironment(2, 'dev', true)
    expect(hidden([1, 2])).toEqual(['dev', 'test'])
  })

  test.each([
    [1, 'never'],
    [1, ''],
    [9, 'dev'],
  ])('project %i has no "%s" to hide', (projectId, name) => {
    const meta = fresh()
    commit(meta, { events: [effect({ environment: 'dev' }), effect({ environment: '' })] })
    expect(codeOf(() => meta.hideEnvironment(projectId, name, true))).toBe('NOT_FOUND')
    expect(meta.environmentOf(projectId, name)).toBeUndefined()
  })
}
