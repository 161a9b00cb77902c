import type { Actor, Auth } from '../auth/auth.ts'
import type { ApiToken, Organization } from '../store/meta/meta.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'

/** A new token. `secret` is available only now. */
type NewToken = { token: ApiToken; secret: string }

function newest(tokens: readonly ApiToken[], { id, secret }: { id: number; secret: string }): NewToken {
  const token = tokens.find((item) => item.id === id)
  if (!token) throw new Error('a token that was just made is listed')
  return { token, secret }
}

/** Creates a personal token of the caller, for one organization or for all of theirs (null). */
export async function createToken(
  { auth, meta }: { auth: Pick<Auth, 'createToken'>; meta: MetaWith<'people.tokensOf'> },
  { person }: Pick<Actor, 'person'>,
  value: { name: string; scopes: string[]; organizationId: number | null },
): Promise<NewToken> {
  const created = await auth.createToken(person, value.name, value.scopes, value.organizationId)
  return newest(await meta.people.tokensOf(person.id), created)
}

/** Creates an organization token for builds. */
export async function createOrganizationToken(
  { auth, meta }: { auth: Pick<Auth, 'createOrganizationToken'>; meta: MetaWith<'people.tokensOfOrganization'> },
  { person }: Pick<Actor, 'person'>,
  organization: Organization,
  name: string,
): Promise<NewToken> {
  const created = await auth.createOrganizationToken(person, name, organization)
  return newest(await meta.people.tokensOfOrganization(organization.id), created)
}

async function deleteAmong(
  meta: MetaWith<'people.deleteToken'>,
  tokens: readonly ApiToken[],
  id: string,
): Promise<boolean> {
  const token = tokens.find((item) => String(item.id) === id)
  if (token) await meta.people.deleteToken(token.id)
  return token !== undefined
}

/** Deletes a personal token of the caller. Returns false when they have none with this id. */
export const deleteToken = async (
  { meta }: { meta: MetaWith<'people.tokensOf' | 'people.deleteToken'> },
  { person }: Pick<Actor, 'person'>,
  id: string,
): Promise<boolean> => deleteAmong(meta, await meta.people.tokensOf(person.id), id)

/** Deletes a token of an organization. Returns false when it has none with this id. */
export const deleteOrganizationToken = async (
  { meta }: { meta: MetaWith<'people.tokensOfOrganization' | 'people.deleteToken'> },
  organizationId: number,
  id: string,
): Promise<boolean> => deleteAmong(meta, await meta.people.tokensOfOrganization(organizationId), id)
