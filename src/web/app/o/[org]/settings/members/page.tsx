import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { mayChange, rolesToGive, rolesToInvite } from '../../../../../../auth/members.ts'
import { app } from '../../../../../handle.ts'
import { OrganizationHead } from '../../../../../panels/settings/organization-head.tsx'
import { demandOrganization } from '../../../../../server/session.ts'
import { InvitationRow } from './invitation-row.tsx'
import { InviteForm } from './invite-form.tsx'
import { LeaveForm } from './leave-form.tsx'
import { MemberRow } from './member-row.tsx'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('people'))('members') }
}

/** Who belongs to the organization, as what, and who was asked to join. */
export default async function MembersPage({ params }: { params: Promise<{ org: string }> }) {
  const { org } = await params
  const { actor, organization, role } = await demandOrganization(org, `/o/${org}/settings/members`)
  const t = await getTranslations('people')
  const { auth, meta, clock } = app()
  const mayWrite = auth.may(actor, 'member:write', { organization }) === 'yes' && role !== undefined
  const members = meta.membersOf(organization.id)
  const invitations = meta.invitationsOf(organization.id)
  const ids = [...members.map((one) => one.userId), ...invitations.map((one) => one.invitedBy)]
  const people = new Map(meta.people([...new Set(ids)]).map((one) => [one.id, one]))
  return (
    <div className="page max-w-[860px]">
      <OrganizationHead organization={organization} here="members" />
      <p className="mb-4 max-w-[72ch] text-ink-2">{t('membersIntro')}</p>
      <ul className="border-t border-line">
        {members.map((one) => {
          const person = people.get(one.userId)
          const isSelf = one.userId === actor.person.id
          const given = role && mayWrite && (isSelf || mayChange(role, one.role)) ? rolesToGive(role) : []
          return person ? (
            <MemberRow
              key={one.userId}
              organization={organization.slug}
              member={{ ...person, role: one.role, sinceMs: one.createdMs, isSelf }}
              // One's own role stands in the list too, else the select would show another.
              roles={given.length > 0 ? [...new Set([...given, one.role])] : []}
            />
          ) : null
        })}
      </ul>
      {mayWrite && role ? <InviteForm organization={organization.slug} roles={rolesToInvite(role)} /> : null}
      <section className="mt-8">
        <h2 className="mb-3">{t('invitations')}</h2>
        {invitations.length === 0 ? <p className="text-ink-2">{t('noInvitations')}</p> : null}
        <ul>
          {invitations.map((one) => (
            <InvitationRow
              key={one.id}
              organization={organization.slug}
              mayTakeBack={mayWrite && role !== undefined && rolesToInvite(role).includes(one.role)}
              invitation={{
                id: one.id,
                email: one.email,
                role: one.role,
                by: people.get(one.invitedBy)?.name ?? '',
                isExpired: one.expiresMs <= clock.now(),
              }}
            />
          ))}
        </ul>
      </section>
      <LeaveForm organization={organization.slug} />
    </div>
  )
}
