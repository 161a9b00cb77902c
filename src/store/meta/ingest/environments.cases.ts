import { expect, test } from 'vitest'
import { codeOf, commit, effect, nowMs } from '../fixture.cases.ts'
import type { MetaStore } from '../meta-store.ts'

/** Hidden environments, for every meta store. */
export function environmentCases(fresh: () => Promise<MetaStore>): void {
  test('what is known of environments, and the switch stays through later events', async () => {
    const meta = await fresh()
    const at = (environment: string, ms: number) => effect({ environment, timestampMs: nowMs + ms })
    await commit(meta, { events: [at('prod', 5), at('dev', 1), at('prod', 9), at('', 0)] })
    expect(await meta.projects.projectEnvironments(1, { max: 9 })).toEqual([
      { name: 'dev', firstSeenMs: nowMs + 1, lastSeenMs: nowMs + 1, hidden: false },
      { name: 'prod', firstSeenMs: nowMs + 5, lastSeenMs: nowMs + 9, hidden: false },
    ])
    expect(await meta.projects.hideEnvironment(1, 'dev', true)).toMatchObject({ name: 'dev', hidden: true })
    await commit(meta, { events: [at('dev', 20)] })
    expect(await meta.projects.environmentOf(1, 'dev')).toMatchObject({ hidden: true, lastSeenMs: nowMs + 20 })
    expect(
      (await meta.projects.projectEnvironments(1, { max: 9, hidden: true })).map(
        (projectEnvironment) => projectEnvironment.name,
      ),
    ).toEqual(['dev'])
    expect(
      (await meta.projects.projectEnvironments(1, { max: 9, hidden: false })).map(
        (projectEnvironment) => projectEnvironment.name,
      ),
    ).toEqual(['prod'])
    expect(await meta.projects.projectEnvironments(1, { max: 1 })).toHaveLength(1)
    expect((await meta.projects.hideEnvironment(1, 'dev', false)).hidden).toBe(false)
  })

  test('of many those that are hidden are among the ones that a list has', async () => {
    const meta = await fresh()
    const names = ['zzz', ...Array.from({ length: 30 }, (_, i) => `e${i + 10}`)]
    await commit(meta, { events: names.map((environment) => effect({ environment })) })
    await meta.projects.hideEnvironment(1, 'zzz', true)
    const list = async (hidden?: boolean) =>
      (await meta.projects.projectEnvironments(1, { max: 3, ...(hidden === undefined ? {} : { hidden }) })).map(
        (projectEnvironment) => projectEnvironment.name,
      )
    expect([await list(), await list(true), await list(false)]).toEqual([
      ['e10', 'e11', 'zzz'],
      ['zzz'],
      ['e10', 'e11', 'e12'],
    ])
  })

  test('over several projects an environment is hidden where nobody shows it', async () => {
    const meta = await fresh()
    await meta.projects.createProject({ organizationId: 1, slug: 'api', name: 'Api', platform: null })
    const seen = (environment: string, projectId: number) => effect({ environment, projectId })
    await commit(meta, { events: [seen('dev', 1), seen('dev', 2), seen('test', 1), seen('prod', 2)] })
    await meta.projects.hideEnvironment(1, 'dev', true)
    await meta.projects.hideEnvironment(1, 'test', true)
    const hidden = async (ids: number[]) => [...(await meta.projects.hiddenEnvironments(ids))].sort()
    expect([await hidden([1]), await hidden([2]), await hidden([1, 2]), await hidden([])]).toEqual([
      ['dev', 'test'],
      [],
      ['test'],
      [],
    ])
    await meta.projects.hideEnvironment(2, 'dev', true)
    expect(await hidden([1, 2])).toEqual(['dev', 'test'])
  })

  test.each([
    [1, 'never'],
    [1, ''],
    [9, 'dev'],
  ])('project %i has no "%s" to hide', async (projectId, name) => {
    const meta = await fresh()
    await commit(meta, { events: [effect({ environment: 'dev' }), effect({ environment: '' })] })
    expect(await codeOf(() => meta.projects.hideEnvironment(projectId, name, true))).toBe('NOT_FOUND')
    expect(await meta.projects.environmentOf(projectId, name)).toBeUndefined()
  })
}
