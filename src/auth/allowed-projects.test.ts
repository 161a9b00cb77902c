import { expect, test } from 'vitest'
import type { Organization, Project } from '../store/meta/meta.ts'
import { allowedProjects, readableIds } from './allowed-projects.ts'
import type { Action, Actor, Thing, Verdict } from './auth.ts'

const organization: Organization = { id: 7, slug: 'acme', name: 'Acme', createdMs: 0 }
const actor: Actor = { kind: 'session', person: { id: 'ann', name: 'Ann', email: 'ann@example.test' } }
const verdicts: Record<number, Verdict> = { 1: 'yes', 2: 'no', 3: 'scope', 4: 'hidden', 5: 'yes' }
const asked: Action[] = []
const parts = {
  meta: {
    projects: {
      projectsOf: async (id: number) =>
        id === 7 ? [1, 2, 3, 4, 5].map((project) => ({ id: project }) as Project) : [],
    },
  },
  auth: {
    may: async (_actor: Actor, action: Action, thing: Thing): Promise<Verdict> => {
      asked.push(action)
      return 'project' in thing ? (verdicts[thing.project.id] ?? 'no') : 'no'
    },
  },
}

test('only a clear yes lets a project in, asked for each project', async () => {
  expect((await allowedProjects(parts, actor, organization, 'release:read')).map(({ id }) => id)).toEqual([1, 5])
  expect(asked).toEqual(Array.from({ length: 5 }, () => 'release:read'))
  asked.length = 0
  expect(await readableIds(parts, actor, organization)).toEqual([1, 5])
  expect(new Set(asked)).toEqual(new Set(['issue:read']))
  expect(await readableIds(parts, actor, { ...organization, id: 8 })).toEqual([])
})
