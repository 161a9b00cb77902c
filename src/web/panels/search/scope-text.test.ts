import { expect, test } from 'vitest'
import { otherTerms, searchText, withoutKey, withScope } from './scope-text.ts'

const projects = [
  { id: '1', slug: 'shop-web', name: 'Shop' },
  { id: '2', slug: 'api', name: 'API' },
]
const state = (q: string, project = '', env = '') => ({ q, project, env })

test.each<[string, ReturnType<typeof state>, ReturnType<typeof state>]>([
  ['a project', state('is:unresolved project:shop-web'), state('is:unresolved', 'shop-web')],
  ['a list', state('project:[shop-web,api] x'), state('x', 'shop-web,api')],
  ['an environment', state('environment:production level:error'), state('level:error', '', 'production')],
  ['quotes', state('environment:"my env"'), state('', '', 'my env')],
  ['an AND', state('a AND project:api'), state('a', 'api')],
  ['a group beside it', state('(a OR b) project:api'), state('(a OR b)', 'api')],
  ['an unknown project', state('project:nope'), state('project:nope')],
  ['a negated term', state('!project:api'), state('!project:api')],
  ['a wildcard', state('project:shop*'), state('project:shop*')],
  ['a comma in the value', state('environment:"a,b"'), state('environment:"a,b"')],
  ['no value', state('environment:""'), state('environment:""')],
  ['two terms', state('project:api project:shop-web'), state('project:api project:shop-web')],
  ['an OR', state('a OR project:api'), state('a OR project:api')],
  ['a term in a group', state('(project:api x)'), state('(project:api x)')],
  ['a parameter beside it', state('project:api', 'shop-web'), state('project:api', 'shop-web')],
  ['a tag of that name', state('tags[project]:api'), state('tags[project]:api')],
  ['a wrong text', state('project:[api'), state('project:[api')],
])('with %s', (_name, given, expected) => {
  expect(withScope(given, projects)).toEqual(expected)
})

test.each<[ReturnType<typeof state>, string]>([
  [state('is:unresolved', 'shop-web'), 'is:unresolved project:shop-web'],
  [state('', 'shop-web,2', 'production'), 'project:[shop-web,api] environment:production'],
  [state('a OR b', '', 'my env'), '(a OR b) environment:"my env"'],
  [state('(a OR b) c', 'api'), '(a OR b) c project:api'],
  [state('x'), 'x'],
])('%j is the text %j', (given, text) => {
  expect(searchText(given, projects)).toBe(text)
  // The text leads back to the same list.
  expect(searchText(withScope(state(text), projects), projects)).toBe(text)
})

test('a control shows and replaces the terms that are no parameter', () => {
  const text = 'a !environment:dev (environment:x*) project:api'
  expect(otherTerms(text, 'environment')).toEqual(['!environment:dev', 'environment:x*'])
  expect(otherTerms(text, 'project')).toEqual(['project:api'])
  expect(withoutKey('a !environment:dev environment:x* b', 'environment')).toBe('a b')
})
