import { expect, test } from 'vitest'
import type { Project } from '../store/meta/meta.ts'
import { defaultProjects, type FindsSelf } from './self-project.ts'

const project = (id: number, slug: string) => ({ id, slug, organizationId: 1 }) as Project
const own = project(1, 'mishap')
const [web, shop] = [project(2, 'web'), project(3, 'shop')]
const metaOf = (stored: string | undefined): FindsSelf => ({
  values: { getValue: async () => stored },
  projects: {
    projectBySlug: async (_organization, slug) => (slug === 'mishap' ? own : undefined),
    projectByOldSlug: async () => undefined,
    projectById: async (id) => [own, web, shop].find((candidate) => candidate.id === id),
  },
})

test.each([
  ['all but the stored one', '1', [own, web, shop], [web, shop]],
  ['all but the one with the slug, in an old data folder', undefined, [own, web], [web]],
  ['its own, if there is no other', '1', [own], [own]],
  ['a renamed one is known by its id', '3', [own, web, shop], [own, web]],
  ['nothing of nothing', '1', [], []],
])('without a project a request means %s', async (_name, stored, readable, expected) =>
  expect(await defaultProjects(metaOf(stored), 1, readable)).toEqual(expected),
)

test('the project of another organization is none of its own', async () =>
  expect(await defaultProjects(metaOf('1'), 2, [own, web])).toEqual([own, web]))
