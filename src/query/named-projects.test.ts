import { expect, test } from 'vitest'
import { eachSwitch } from '../domain/project-switches.ts'
import type { Project } from '../store/meta/meta.ts'
import { namedProjects } from './named-projects.ts'

const project = (id: number, slug: string): Project => ({
  id,
  organizationId: 1,
  slug,
  name: slug,
  platform: null,
  createdMs: 0,
  firstEventMs: null,
  allowedOrigins: [],
  switches: eachSwitch(() => false),
  metricSeriesMax: 10_000,
  rev: 0,
})
const readable = [project(1, 'web'), project(2, 'shop')]
const meta = {
  projects: {
    projectByOldSlug: async (organizationId: number, slug: string) =>
      organizationId === 1 ? { store: readable[1], hidden: project(3, 'hidden') }[slug] : undefined,
  },
}

test.each<[string[], number[] | undefined]>([
  [[], []],
  [
    ['shop', '1'],
    [2, 1],
  ],
  [['shop', '2', 'store'], [2]],
  [['gone'], undefined],
  [['web', 'gone'], undefined],
  [['hidden'], undefined],
])('%j', async (names, ids) => {
  expect((await namedProjects(meta, 1, readable, names))?.map((namedProject) => namedProject.id)).toEqual(ids)
})
