'use client'
import { useTranslations } from 'next-intl'
import type { Role } from '../../../../../../auth/auth.ts'
import { ActionForm } from '../../../../../ui/forms/action-form.tsx'
import { Button, buttonClass, Select } from '../../../../../ui/forms/controls.tsx'
import { PlainText } from '../../../../../ui/plain-text.tsx'
import { changeRoleAction, removeMemberAction } from './actions.ts'
import { startState } from './state.ts'

export type ShownMember = { id: string; name: string; email: string; role: Role; sinceMs: number; isSelf: boolean }

/** One member. `roles` are the roles to choose from; empty means read-only. */
export function MemberRow({
  organization,
  member,
  roles,
}: {
  organization: string
  member: ShownMember
  roles: readonly Role[]
}) {
  const t = useTranslations('people')
  const hidden = (
    <>
      <input type="hidden" name="organization" value={organization} />
      <input type="hidden" name="member" value={member.id} />
    </>
  )
  return (
    <li className="flex flex-wrap items-center gap-3 border-b border-line py-3">
      <div className="min-w-0 flex-1 basis-[160px]">
        <div className="font-[550]">
          <PlainText text={member.name || member.email} charactersMax={64} />
          {member.isSelf ? <span className="text-ink-3"> ({t('you')})</span> : null}
        </div>
        <div className="text-ink-2">
          <PlainText text={member.email} charactersMax={254} />
        </div>
      </div>
      {roles.length === 0 ? <span>{t(`role_${member.role}`)}</span> : null}
      {roles.length > 0 ? (
        <ActionForm
          action={changeRoleAction}
          initial={startState}
          name={`role-${member.id}`}
          className="flex items-center gap-2"
        >
          {(_state, pending) => (
            <>
              {hidden}
              <Select
                name="role"
                key={member.role}
                aria-label={`${t('role')}: ${member.email}`}
                defaultValue={member.role}
              >
                {roles.map((role) => (
                  <option key={role} value={role}>
                    {t(`role_${role}`)}
                  </option>
                ))}
              </Select>
              <Button type="submit" compact disabled={pending}>
                {t('save')}
              </Button>
            </>
          )}
        </ActionForm>
      ) : null}
      {roles.length > 0 && !member.isSelf ? (
        <ActionForm action={removeMemberAction} initial={startState} name={`remove-${member.id}`} className="flex">
          {(_state, pending) => (
            <>
              {hidden}
              <Button type="submit" compact look="danger" disabled={pending}>
                {t('remove')}
              </Button>
            </>
          )}
        </ActionForm>
      ) : null}
      {roles.length > 0 && member.isSelf ? (
        <span className={buttonClass({ compact: true }, 'invisible')} aria-hidden="true">
          {t('remove')}
        </span>
      ) : null}
    </li>
  )
}
