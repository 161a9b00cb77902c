import { expect, test } from 'vitest'
import type { StatusChange } from '../../client/issue-status.ts'
import { pastedChoices } from './commit-dialog.tsx'

const sha = 'a'.repeat(40)

test('a pasted hash is offered for each repository, and chosen with the whole hash', () => {
  const decided: StatusChange[] = []
  const choices = pastedChoices(` ${sha.toUpperCase()} `, ['acme/web', 'acme/api'], (change) => decided.push(change))
  expect(choices.map(({ text, note }) => [text, note])).toEqual([
    ['aaaaaaaaaaaa', 'acme/web'],
    ['aaaaaaaaaaaa', 'acme/api'],
  ])
  choices[1]?.run()
  expect(decided).toEqual([
    { status: 'resolved', statusDetails: { inCommit: { repository: 'acme/api', commit: sha } } },
  ])
})

test.each(['', 'abc', 'a'.repeat(39), 'a'.repeat(41), 'g'.repeat(40), `${sha} x`])('%j is no hash', (text) => {
  expect(pastedChoices(text, ['acme/web'], () => undefined)).toEqual([])
})

test('at most five repositories are offered', () => {
  const names = Array.from({ length: 9 }, (_, at) => `acme/${at}`)
  expect(pastedChoices('a'.repeat(64), names, () => undefined).length).toBe(5)
})
