import { expect, test } from 'vitest'
import { codeMappingBody, externalIssueBody } from './trackers.ts'

test.each<[id: unknown, read: string | undefined]>([
  ['7', '7'],
  [7, '7'],
  ['999999999999999', '999999999999999'],
  [Number.MAX_SAFE_INTEGER, '9007199254740991'],
  ['1000000000000000', undefined],
  [`1${'0'.repeat(23)}`, undefined],
  [1e23, undefined],
  [Number.MAX_SAFE_INTEGER + 1, undefined],
  [1.5, undefined],
  ['-1', undefined],
  ['1e5', undefined],
  ['', undefined],
  [null, undefined],
])('the id %j is read as %j', (id, read) => {
  const mapping = { projectId: 'web', stackRoot: 'a/', sourceRoot: 'b/' }
  const repository = codeMappingBody.safeParse({ ...mapping, repositoryId: id })
  expect([repository.data?.repositoryId, repository.error?.issues[0]?.message]).toEqual([
    read,
    read === undefined ? 'The id of a repository.' : undefined,
  ])
  expect(externalIssueBody.safeParse({ integrationId: id }).data?.integrationId).toBe(read)
})
