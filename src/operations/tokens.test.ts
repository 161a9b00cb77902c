import { describe, expect, test } from 'vitest'
import { good, rigForFile } from '../auth/rig.cases.ts'
import { createOrganizationToken, createToken, deleteOrganizationToken, deleteToken } from './tokens.ts'

const { fresh } = rigForFile()

async function rig() {
  const { auth, meta } = await fresh()
  const person = await auth.createPerson(good)
  const organization = await meta.organizations.createOrganization({
    slug: 'acme',
    name: 'Acme',
    ownerUserId: person.id,
  })
  return { auth, meta, actor: { person }, organization }
}

describe('tokens', () => {
  test('of a person work until they are deleted, by their owner only', async () => {
    const { auth, meta, actor, organization } = await rig()
    const value = { name: 'laptop', scopes: ['org:read'], organizationId: organization.id }
    const { token, secret } = await createToken({ auth, meta }, actor, value)
    expect(token).toMatchObject({ name: 'laptop', scopes: ['org:read'], organizationId: organization.id })
    expect((await meta.people.tokenBySecret(secret))?.id).toBe(token.id)
    const stranger = { person: { ...actor.person, id: 'eve' } }
    expect(await deleteToken({ meta }, stranger, String(token.id))).toBe(false)
    expect(await deleteOrganizationToken({ meta }, organization.id, String(token.id))).toBe(false)
    expect((await meta.people.tokenBySecret(secret))?.id).toBe(token.id)
    expect(await deleteToken({ meta }, actor, String(token.id))).toBe(true)
    expect([await meta.people.tokenBySecret(secret), await deleteToken({ meta }, actor, String(token.id))]).toEqual([
      undefined,
      false,
    ])
  })

  test('of an organization work until they are deleted, through their organization only', async () => {
    const { auth, meta, actor, organization } = await rig()
    const { token, secret } = await createOrganizationToken({ auth, meta }, actor, organization, 'ci')
    expect(token).toMatchObject({ name: 'ci', scopes: ['org:ci'], ofOrganization: true })
    expect(await deleteToken({ meta }, actor, String(token.id))).toBe(false)
    expect(await deleteOrganizationToken({ meta }, organization.id + 1, String(token.id))).toBe(false)
    expect((await meta.people.tokenBySecret(secret))?.id).toBe(token.id)
    expect(await deleteOrganizationToken({ meta }, organization.id, String(token.id))).toBe(true)
    expect(await meta.people.tokenBySecret(secret)).toBeUndefined()
  })

  test.each(['', 'x', '0', '1.0', '01'])('an id %j is none', async (id) => {
    const { auth, meta, actor } = await rig()
    await createToken({ auth, meta }, actor, { name: 'a', scopes: [], organizationId: null })
    expect([await deleteToken({ meta }, actor, id), (await meta.people.tokensOf(actor.person.id)).length]).toEqual([
      false,
      1,
    ])
  })
})
