import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { mayChange, rolesToGive, rolesToInvite } from '../../../../../../auth/roles.ts'
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

/** The organization's members with their roles, and its open invitations. */
export default async function MembersPage({ params }: { params: Promise<{ org: string }> }) {
  const { org } = await params
  const { actor, organization, role } = await demandOrganization(org, `/o/${org}/settings/members`)
  const t = await getTranslations('people')
  const { auth, meta, clock } = app()
  const mayWrite = (await auth.may(actor, 'member:write', { organization })) === 'yes' && role !== undefined
  const members = await meta.organizations.membersOf(organization.id)
  const invitations = await meta.organizations.invitationsOf(organization.id)
  const ids = [...members.map((member) => member.userId), ...invitations.map((invitation) => invitation.invitedBy)]
  const people = new Map((await meta.people.people([...new Set(ids)])).map((person) => [person.id, person]))
  return (
    <div className="settings-page">
      <OrganizationHead organization={organization} here="members" />
      <p className="mb-4 max-w-[72ch] text-ink-2">{t('membersIntro')}</p>
      <ul className="border-t border-line">
        {members.map((member) => {
          const person = people.get(member.userId)
          const isSelf = member.userId === actor.person.id
          const assignableRoles = role && mayWrite && (isSelf || mayChange(role, member.role)) ? rolesToGive(role) : []
          return person ? (
            <MemberRow
              key={member.userId}
              organization={organization.slug}
              member={{ ...person, role: member.role, sinceMs: member.createdMs, isSelf }}
              // Include the member's current role, or the select would show another role.
              roles={assignableRoles.length > 0 ? [...new Set([...assignableRoles, member.role])] : []}
            />
          ) : null
        })}
      </ul>
      {mayWrite && role ? <InviteForm organization={organization.slug} roles={rolesToInvite(role)} /> : null}
      <section className="mt-8">
        <h2 className="mb-3">{t('invitations')}</h2>
        {invitations.length === 0 ? <p className="text-ink-2">{t('noInvitations')}</p> : null}
        <ul>
          {invitations.map((invitation) => (
            <InvitationRow
              key={invitation.id}
              organization={organization.slug}
              mayTakeBack={mayWrite && role !== undefined && rolesToInvite(role).includes(invitation.role)}
              invitation={{
                id: invitation.id,
                email: invitation.email,
                role: invitation.role,
                by: people.get(invitation.invitedBy)?.name ?? '',
                isExpired: invitation.expiresMs <= clock.now(),
              }}
            />
          ))}
        </ul>
      </section>
      <LeaveForm organization={organization.slug} />
    </div>
  )
}
