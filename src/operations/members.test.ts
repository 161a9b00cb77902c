import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { roles, rolesToGive, rolesToInvite } from '../auth/roles.ts'
import { testClock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import { openTestMeta } from '../store/meta/fixture.cases.ts'
import type { Organization, Person, Role } from '../store/meta/meta.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'
import {
  acceptInvitation,
  addInvitation,
  inviteMember,
  joinByInvitation,
  openInvitation,
  removeMember,
  takeBackInvitation,
  updateMember,
} from './members.ts'

const dayMs = 86_400_000
const folder = mkdtempSync(join(tmpdir(), 'mishap-members-'))
const opened: MetaStore[] = []
afterAll(async () => {
  for (const item of opened) await item.close()
  rmSync(folder, { recursive: true, force: true })
})

const person = (id: string): Person => ({ id, name: id, email: `${id}@example.test` })
const named: Record<Role, Person> = {
  owner: person('olga'),
  admin: person('adam'),
  member: person('mia'),
  viewer: person('vera'),
}
const codeOf = async (work: () => Promise<unknown>): Promise<string> => {
  try {
    await work()
    return 'done'
  } catch (error) {
    return error instanceof MishapError ? error.code : String(error)
  }
}
type World = { meta: MetaStore; clock: ReturnType<typeof testClock>; organization: Organization }
const world = {} as World

beforeEach(async () => {
  const clock = testClock(1_795_000_000_000)
  const meta = await openTestMeta(join(folder, `${opened.length}.sqlite`), { clock })
  opened.push(meta)
  const organization = await meta.organizations.createOrganization({
    slug: 'acme',
    name: 'Acme',
    ownerUserId: named.owner.id,
  })
  for (const role of ['admin', 'member', 'viewer'] as const)
    await meta.organizations.setMember(organization.id, named[role].id, role)
  Object.assign(world, { meta, clock, organization })
})

describe('who may give which role', () => {
  test.each<[Role, Role[], Role[]]>([
    ['owner', ['viewer', 'member', 'admin'], ['viewer', 'member', 'admin', 'owner']],
    ['admin', ['viewer', 'member'], ['viewer', 'member']],
    ['member', ['viewer'], ['viewer']],
    ['viewer', [], []],
  ])('%s', async (own, invites, gives) => {
    expect([rolesToInvite(own), rolesToGive(own)]).toEqual([invites, gives])
    for (const role of roles) {
      const done = await codeOf(() =>
        addInvitation(world, named[own], world.organization, { email: 'x@example.test', role }),
      )
      expect([role, done]).toEqual([role, invites.includes(role) ? 'done' : 'VALIDATION'])
    }
  })

  test.each<[by: Role, of: Role, to: Role, string]>([
    ['owner', 'admin', 'owner', 'done'],
    ['owner', 'admin', 'viewer', 'done'],
    ['owner', 'owner', 'admin', 'CONFLICT'],
    ['admin', 'member', 'viewer', 'done'],
    ['admin', 'viewer', 'member', 'done'],
    ['admin', 'member', 'admin', 'VALIDATION'],
    ['admin', 'owner', 'viewer', 'AUTH_FORBIDDEN'],
    ['admin', 'admin', 'member', 'done'],
    ['admin', 'admin', 'owner', 'VALIDATION'],
  ])('%s makes of the %s a %s: %s', async (by, of, to, expected) => {
    const { meta, organization } = world
    const before = (await meta.organizations.memberOf(organization.id, named[of].id))?.role
    expect(await codeOf(() => updateMember(world, named[by], organization, named[of].id, to))).toBe(expected)
    expect((await meta.organizations.memberOf(organization.id, named[of].id))?.role).toBe(
      expected === 'done' ? to : before,
    )
  })

  test('an admin is no match for another admin', async () => {
    const { meta, organization } = world
    await meta.organizations.setMember(organization.id, 'ada', 'admin')
    expect(await codeOf(() => updateMember(world, named.admin, organization, 'ada', 'viewer'))).toBe('AUTH_FORBIDDEN')
    expect(await codeOf(() => removeMember(world, named.admin, organization, 'ada'))).toBe('AUTH_FORBIDDEN')
  })

  test('a stranger finds nobody, and nobody finds a stranger', async () => {
    const { organization } = world
    expect(await codeOf(() => updateMember(world, person('eve'), organization, named.viewer.id, 'admin'))).toBe(
      'NOT_FOUND',
    )
    expect(await codeOf(() => removeMember(world, named.owner, organization, 'eve'))).toBe('NOT_FOUND')
    expect(
      await codeOf(() =>
        addInvitation(world, person('eve'), organization, { email: 'x@example.test', role: 'viewer' }),
      ),
    ).toBe('NOT_FOUND')
  })
})

describe('the last owner', () => {
  test('neither goes nor steps down, until there is another', async () => {
    const { meta, organization } = world
    expect(await codeOf(() => removeMember(world, named.owner, organization, named.owner.id))).toBe('CONFLICT')
    await updateMember(world, named.owner, organization, named.admin.id, 'owner')
    await updateMember(world, named.owner, organization, named.owner.id, 'viewer')
    expect((await meta.organizations.memberOf(organization.id, named.owner.id))?.role).toBe('viewer')
    await removeMember(world, named.owner, organization, named.owner.id)
    expect(await meta.organizations.memberOf(organization.id, named.owner.id)).toBeUndefined()
    expect(await codeOf(() => removeMember(world, named.admin, organization, named.admin.id))).toBe('CONFLICT')
  })
})

test('removing somebody ends the tokens and invitations that hang on it', async () => {
  const { meta, clock, organization } = world
  const token = (organizationId: number | null, secret: string) =>
    meta.people.createToken({
      name: 't',
      userId: named.admin.id,
      organizationId,
      scopes: [],
      secret,
      nowMs: clock.now(),
    })
  await token(organization.id, 'bound')
  await token(null, 'free')
  const { secret } = await addInvitation(world, named.admin, organization, { email: 'x@example.test', role: 'viewer' })
  await removeMember(world, named.owner, organization, named.admin.id)
  expect([await meta.people.tokenBySecret('bound'), (await meta.people.tokenBySecret('free'))?.name]).toEqual([
    undefined,
    't',
  ])
  expect(await openInvitation(world, secret)).toBeUndefined()
})

describe('an invitation', () => {
  const asked = { email: ' New@Example.test ', role: 'member' as const }
  const invite = () => addInvitation(world, named.admin, world.organization, asked)

  test('is good once', async () => {
    const { secret, invitation } = await invite()
    expect([invitation.email, invitation.role, secret.length]).toEqual(['new@example.test', 'member', 43])
    const member = await acceptInvitation(world, secret, person('nina'))
    expect(member).toMatchObject({ userId: 'nina', role: 'member', organizationId: world.organization.id })
    expect(await codeOf(() => acceptInvitation(world, secret, person('eve')))).toBe('NOT_FOUND')
    expect(await world.meta.organizations.memberOf(world.organization.id, 'eve')).toBeUndefined()
  })

  test('gives no access before it is accepted, and none after 7 days', async () => {
    const { secret } = await invite()
    world.clock.advance(7 * dayMs - 1)
    expect((await openInvitation(world, secret))?.email).toBe('new@example.test')
    world.clock.advance(1)
    expect(await codeOf(() => acceptInvitation(world, secret, person('nina')))).toBe('NOT_FOUND')
    expect(await world.meta.organizations.memberOf(world.organization.id, 'nina')).toBeUndefined()
  })

  test('is kept as a hash, and a second one ends the first', async () => {
    const first = (await invite()).secret
    const second = (await invite()).secret
    expect(await world.meta.organizations.invitationsOf(world.organization.id)).toHaveLength(1)
    expect(JSON.stringify(await world.meta.organizations.invitationsOf(world.organization.id))).not.toContain(second)
    expect([await openInvitation(world, first), (await openInvitation(world, second))?.role]).toEqual([
      undefined,
      'member',
    ])
  })

  test('ends when its maker could not make it any more', async () => {
    const { secret } = await invite()
    await world.meta.organizations.setMember(world.organization.id, named.admin.id, 'member')
    expect(await openInvitation(world, secret)).toBeUndefined()
  })

  test('does not lower who is a member already', async () => {
    const { secret } = await invite()
    expect((await acceptInvitation(world, secret, named.owner)).role).toBe('owner')
  })

  test('can be taken back, by those who may give its role', async () => {
    const { invitation, secret } = await addInvitation(world, named.owner, world.organization, {
      email: 'x@example.test',
      role: 'admin',
    })
    expect(await codeOf(() => takeBackInvitation(world, named.admin, world.organization, invitation.id))).toBe(
      'AUTH_FORBIDDEN',
    )
    expect(await codeOf(() => takeBackInvitation(world, named.owner, world.organization, 999))).toBe('NOT_FOUND')
    await takeBackInvitation(world, named.owner, world.organization, invitation.id)
    expect(await openInvitation(world, secret)).toBeUndefined()
  })

  test.each(['', 'x', 'a@b', 'a@b@c.test', `${'x'.repeat(250)}@b.test`])('is not sent to %.30j', async (email) => {
    expect(await codeOf(() => addInvitation(world, named.owner, world.organization, { email, role: 'viewer' }))).toBe(
      'VALIDATION',
    )
  })

  test.each(['', 'x', "' or 1=1", 'x'.repeat(43), 'x'.repeat(10_000)])('is not opened by %.20j', async (secret) => {
    await invite()
    expect(await openInvitation(world, secret)).toBeUndefined()
  })
})

describe('joining by a link', () => {
  const asked = { email: 'nina@example.test', role: 'member' as const }
  const accounts = () => {
    const created: { email: string; names?: readonly string[] }[] = []
    const createPerson = async (value: {
      name: string
      email: string
      password: string
      names?: readonly string[]
    }) => {
      created.push(value)
      return { id: 'nina', name: value.name, email: value.email }
    }
    return { made: created, auth: { createPerson } }
  }
  const who = { name: 'Nina', password: 'correct horse 9' }

  test('makes an account under the invited address, whose password may not be a name of the organization', async () => {
    const { secret } = await addInvitation(world, named.admin, world.organization, asked)
    const { made: created, auth } = accounts()
    expect(await joinByInvitation({ ...world, auth }, secret, who)).toMatchObject({ userId: 'nina', role: 'member' })
    expect(created).toEqual([{ ...who, email: asked.email, names: ['Acme', 'acme'] }])
  })

  test('of somebody with an account makes none', async () => {
    const { secret } = await addInvitation(world, named.admin, world.organization, asked)
    const { made: created, auth } = accounts()
    expect(await joinByInvitation({ ...world, auth }, secret, person('otto'))).toMatchObject({ userId: 'otto' })
    expect(created).toEqual([])
  })

  test('by a link that is not good makes none', async () => {
    const { made: created, auth } = accounts()
    await expect(joinByInvitation({ ...world, auth }, 'x'.repeat(43), who)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(created).toEqual([])
  })
})

test.each([undefined, '', 'connect ECONNREFUSED'])('an invitation is mailed with its link: %j', async (expected) => {
  const mails: { to: string; text: string }[] = []
  const alerts = {
    mail: async (mail: { to: string; text: string }) => {
      mails.push(mail)
      return expected
    },
  }
  const deps = { ...world, alerts, config: { url: 'https://m.test' } }
  const asked = { email: 'nina@example.test', role: 'viewer' as const }
  const { invitation, link, failure } = await inviteMember(deps, named.owner, world.organization, asked)
  expect(failure).toBe(expected)
  expect((await openInvitation(world, link.replace('https://m.test/invite/', '')))?.id).toBe(invitation.id)
  expect(mails).toMatchObject([{ to: asked.email, text: expect.stringContaining(link) }])
})

describe('a refusal of an invitation', () => {
  const refusalOf = async (email: string) => {
    try {
      await addInvitation(world, named.owner, world.organization, { email, role: 'viewer' })
      return 'done'
    } catch (error) {
      return error instanceof MishapError ? [error.code, error.fields] : error
    }
  }
  const domain = `${'d'.repeat(60)}.${'d'.repeat(60)}.test`
  const long = (characters: number) => `${'a'.repeat(characters - domain.length - 1)}@${domain}`

  test('says what is wrong with the address, which may have 254 characters', async () => {
    const sentence = 'Use one e-mail address of at most 254 characters.'
    expect(await refusalOf(long(255))).toEqual(['VALIDATION', { email: [sentence] }])
    expect(await refusalOf(long(254))).toBe('done')
  })

  test('comes for who is a member already, and not for who has an account elsewhere', async () => {
    const people: Record<string, Person> = {
      'adam@example.test': named.admin,
      'eve@example.test': person('eve'),
    }
    world.meta.people.personByEmail = async (email) => people[email]
    const taken = { email: ['This person is already a member.'] }
    expect(await refusalOf('ADAM@example.test ')).toEqual(['CONFLICT', taken])
    expect(await refusalOf('eve@example.test')).toBe('done')
    expect(await world.meta.organizations.invitationsOf(world.organization.id)).toHaveLength(1)
  })

  test('comes for the 501st that is open, and not for one that takes the place of its like', async () => {
    for (let n = 0; n < 499; n++) expect(await refusalOf(`p${n}@example.test`)).toBe('done')
    expect(await refusalOf('last@example.test')).toBe('done')
    const sentence = 'At most 500 invitations may be open. Revoke some.'
    expect(await refusalOf('more@example.test')).toEqual(['VALIDATION', { email: [sentence] }])
    expect(await refusalOf('p7@example.test')).toBe('done')
  })
})

test('a secret with other text around it opens nothing, and the refusals say what to do', async () => {
  const { secret } = await addInvitation(world, named.admin, world.organization, {
    email: 'x@example.test',
    role: 'viewer',
  })
  const hashed: string[] = []
  const { invitationBySecret } = world.meta.organizations
  world.meta.organizations.invitationBySecret = async (text) => {
    hashed.push(text)
    return invitationBySecret(text)
  }
  for (const text of [`${secret}x`, `x${secret}`]) expect(await openInvitation(world, text)).toBeUndefined()
  expect(hashed).toEqual([])
  const thrown = async (work: () => Promise<unknown>) => {
    try {
      return await work()
    } catch (error) {
      return error
    }
  }
  expect(await thrown(() => acceptInvitation(world, `${secret}x`, person('eve')))).toMatchObject({
    code: 'NOT_FOUND',
    message: 'This invitation is no longer valid.',
    causes: ['Ask for a new one.'],
  })
  expect(
    await thrown(() => updateMember(world, named.admin, world.organization, named.owner.id, 'viewer')),
  ).toMatchObject({
    code: 'AUTH_FORBIDDEN',
    message: 'Only roles below your own can be changed.',
  })
  const own = { role: ['Give a role below your own.'] }
  expect(
    await thrown(() => updateMember(world, named.member, world.organization, named.member.id, 'admin')),
  ).toMatchObject({
    code: 'VALIDATION',
    fields: own,
  })
})

test.each(roles)('somebody who stays what they are, %s, is refused nothing', async (role) => {
  const { meta, organization } = world
  expect(await codeOf(() => updateMember(world, named[role], organization, named[role].id, role))).toBe('done')
  expect((await meta.organizations.memberOf(organization.id, named[role].id))?.role).toBe(role)
})
