import type { Selectable } from 'kysely'
import { MishapError } from '../../../base/errors.ts'
import { checkName, checkSlug, idOf } from '../database/names.ts'
import { insertedId, type Store } from '../database/store.ts'
import type { Tables } from '../database/tables.ts'
import type { Member, Organization, Role } from '../meta.ts'

type Row = Selectable<Tables['organization']>

const toOrganization = (row: Pick<Row, 'id' | 'slug' | 'name' | 'created_ms'>): Organization => ({
  id: row.id,
  slug: row.slug,
  name: row.name,
  createdMs: row.created_ms,
})

/** Creation and lookup of organizations. */
export type OrganizationRowStore = {
  /** Creates an organization with its owner as a member. Throws VALIDATION (`checkSlug`), CONFLICT for a taken slug. */
  createOrganization(value: { slug: string; name: string; ownerUserId: string }): Promise<Organization>
  organizationBySlug(slugOrId: string): Promise<Organization | undefined>
  organizationById(id: number): Promise<Organization | undefined>
  organizationsOf(userId: string): Promise<(Organization & { role: Role })[]>
  organizations(): Promise<Organization[]>
}
/** Members of organizations. */
export type MembershipStore = {
  memberOf(organizationId: number, userId: string): Promise<Member | undefined>
  /** Adds a member or changes their role. */
  setMember(organizationId: number, userId: string, role: Role): Promise<void>
  removeMember(organizationId: number, userId: string): Promise<void>
  /** In the order of joining. */
  membersOf(organizationId: number): Promise<Member[]>
}

/** Implements creation and lookup of organizations. */
export function organizationPart(store: Store): OrganizationRowStore {
  const {
    write,
    read,
    dialect: { builder },
    clock,
  } = store
  const byId = (id: number) => read.get(builder.selectFrom('organization').selectAll().where('id', '=', id))

  return {
    createOrganization: async ({ slug, name, ownerUserId }) => {
      const row = { slug: checkSlug(slug), name: checkName(name), created_ms: clock.now() }
      return write.transaction(async () => {
        if (await write.get(builder.selectFrom('organization').select('id').where('slug', '=', slug))) {
          throw new MishapError('CONFLICT', {
            detail: 'Another organization has this slug.',
            fields: { slug: ['Another organization has this slug.'] },
          })
        }
        const lastId = await insertedId(write, builder.insertInto('organization').values(row))
        await memberPart(store).setMember(lastId, ownerUserId, 'owner')
        return toOrganization({ id: lastId, ...row })
      })
    },
    organizationBySlug: async (slugOrId) => {
      const id = idOf(slugOrId)
      const row =
        id === undefined
          ? await read.get(builder.selectFrom('organization').selectAll().where('slug', '=', slugOrId))
          : await byId(id)
      return row && toOrganization(row)
    },
    organizationById: async (id) => {
      const row = await byId(id)
      return row && toOrganization(row)
    },
    organizationsOf: async (userId) =>
      (
        await read.all(
          builder
            .selectFrom('organization')
            .innerJoin('member', 'member.organization_id', 'organization.id')
            .selectAll('organization')
            .select('member.role')
            .where('member.user_id', '=', userId)
            .orderBy('organization.id'),
        )
      ).map((row) => ({ ...toOrganization(row), role: row.role as Role })),
    organizations: async () =>
      (await read.all(builder.selectFrom('organization').selectAll().orderBy('id'))).map(toOrganization),
  }
}

/** Implements members of organizations. */
export function memberPart({ write, read, dialect: { builder }, clock }: Store): MembershipStore {
  const setMember = async (organizationId: number, userId: string, role: Role) => {
    const row = { organization_id: organizationId, user_id: userId, role, created_ms: clock.now() }
    await write.run(
      builder
        .insertInto('member')
        .values(row)
        .onConflict((conflict) => conflict.columns(['organization_id', 'user_id']).doUpdateSet({ role })),
    )
  }

  return {
    memberOf: async (organizationId, userId) => {
      const row = await read.get(
        builder
          .selectFrom('member')
          .selectAll()
          .where('organization_id', '=', organizationId)
          .where('user_id', '=', userId),
      )
      return row && { organizationId, userId, role: row.role as Role, createdMs: row.created_ms }
    },
    setMember,
    removeMember: async (organizationId, userId) => {
      await write.run(
        builder.deleteFrom('member').where('organization_id', '=', organizationId).where('user_id', '=', userId),
      )
    },
    membersOf: async (organizationId) =>
      (
        await read.all(
          builder
            .selectFrom('member')
            .selectAll()
            .where('organization_id', '=', organizationId)
            .orderBy('created_ms')
            .orderBy('user_id'),
        )
      ).map((row) => ({ organizationId, userId: row.user_id, role: row.role as Role, createdMs: row.created_ms })),
  }
}
