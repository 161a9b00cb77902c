'use client'
import { useTranslations } from 'next-intl'
import { noState } from '../../../../../client/form.ts'
import { ShortForm } from '../../../../../ui/forms/short-form.tsx'
import { createOrganizationTokenAction, deleteOrganizationTokenAction, type TokenState } from '../account/actions.ts'
import { NewSecret, type ShownToken, TokenList } from '../account/token-list.tsx'

const start: TokenState = { ...noState, secret: null }

/** The organization's build tokens, for people who may create them. Shows a new secret once. */
export function OrganizationTokens({ organization, tokens }: { organization: string; tokens: ShownToken[] }) {
  const t = useTranslations('account')
  return (
    <section>
      <h1 className="mb-2">{t('organizationTokens')}</h1>
      <p className="mb-3 max-w-[72ch] text-ink-2">{t('organizationTokensIntro')}</p>
      <TokenList
        organization={organization}
        tokens={tokens}
        form="delete-organization-token"
        remove={deleteOrganizationTokenAction}
      />
      <ShortForm
        action={createOrganizationTokenAction}
        initial={start}
        form="new-organization-token"
        className="mt-5 flex max-w-[560px] flex-col gap-3"
        hidden={{ organization }}
        field={{ id: 'organization-token-name', label: t('tokenName') }}
        submit={t('createOrganizationToken')}
        before={({ secret }) => <NewSecret secret={secret} testId="organization-token" />}
      />
    </section>
  )
}
