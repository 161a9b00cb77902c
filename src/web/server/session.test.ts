import { expect, test, vi } from 'vitest'
import type { Actor } from '../../auth/auth.ts'
import { actorHere } from './session.ts'

const state = vi.hoisted((): { actor?: Actor } => ({}))
vi.mock('next/headers', () => ({ headers: async () => new Headers() }))
vi.mock('../handle.ts', () => ({ app: () => ({ auth: { actorOf: async () => state.actor } }) }))

const person = { id: 'ann', name: 'Ann', email: 'ann@example.test' }
const token = { kind: 'token' as const, person, organizationId: 1, scopes: ['org:ci'] }

test.each<[string, Actor | undefined, isSomebody: boolean]>([
  ['nobody', undefined, false],
  ['a session', { kind: 'session', person }, true],
  ['a person’s token', token, true],
  ['an organization’s token, which acts for nobody', { ...token, ofOrganization: true }, false],
])('who asks for a screen: %s', async (_name, actor, isSomebody) => {
  Object.assign(state, { actor })
  expect((await actorHere()) !== undefined).toBe(isSomebody)
})
