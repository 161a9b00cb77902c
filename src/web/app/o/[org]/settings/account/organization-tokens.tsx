'use client'
import { useTranslations } from 'next-intl'
import { noState } from '../../../../../form.ts'
import { ActionForm } from '../../../../../ui/action-form.tsx'
import { Button } from '../../../../../ui/controls.tsx'
import { CopyButton } from '../../../../../ui/copy-button.tsx'
import { PlainText } from '../../../../../ui/plain-text.tsx'
import { ShortForm } from '../../../../../ui/short-form.tsx'
import { RelativeTime } from '../../../../../ui/time.tsx'
import { createOrganizationTokenAction, deleteOrganizationTokenAction, type TokenState } from './actions.ts'
import type { ShownToken } from './tokens.tsx'

const start: TokenState = { ...noState, secret: null }

function TokenRow({ organization, token }: { organization: string; token: ShownToken }) {
  const t = useTranslations('account')
  return (
    <tr>
      <td>
        <span className="font-[550]">
          <PlainText text={token.name} />
        </span>
        <div>
          <code className="text-ink-3">{token.prefix}</code>
        </div>
      </td>
      <td className="whitespace-nowrap text-ink-2">
        {token.lastUsedMs === null ? t('never') : <RelativeTime at={token.lastUsedMs} />}
      </td>
      <td className="text-right">
        <ActionForm
          action={deleteOrganizationTokenAction}
          initial={noState}
          name={`delete-organization-token-${token.id}`}
          className=""
        >
          {(_state, pending) => (
            <>
              <input type="hidden" name="organization" value={organization} />
              <input type="hidden" name="token" value={token.id} />
              <Button type="submit" compact look="danger" disabled={pending}>
                {t('delete')}
              </Button>
            </>
          )}
        </ActionForm>
      </td>
    </tr>
  )
}

/** The organization's tokens for builds, for those who may make them; a new one's secret is shown once. */
export function OrganizationTokens({ organization, tokens }: { organization: string; tokens: ShownToken[] }) {
  const t = useTranslations('account')
  return (
    <section className="mt-8">
      <h2>{t('organizationTokens')}</h2>
      <p className="mb-3 max-w-[72ch] text-ink-2">{t('organizationTokensIntro')}</p>
      {tokens.length > 0 ? (
        <div className="overflow-x-auto">
          <table className="table">
            <thead>
              <tr>
                <th>{t('tokenName')}</th>
                <th>{t('lastUsed')}</th>
                <th>
                  <span className="visually-hidden">{t('delete')}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {tokens.map((token) => (
                <TokenRow key={token.id} organization={organization} token={token} />
              ))}
            </tbody>
          </table>
        </div>
      ) : null}
      <ShortForm
        action={createOrganizationTokenAction}
        initial={start}
        form="new-organization-token"
        className="mt-5 flex max-w-[560px] flex-col gap-3"
        hidden={{ organization }}
        field={{ id: 'organization-token-name', label: t('tokenName') }}
        submit={t('createOrganizationToken')}
        before={({ secret }) =>
          secret ? (
            <div className="box p-3" role="status">
              <p className="mb-2">{t('once')}</p>
              <div className="flex items-center gap-2">
                <code className="min-w-0 break-all" data-testid="organization-token">
                  {secret}
                </code>
                <CopyButton text={secret} label={t('copy')} />
              </div>
            </div>
          ) : null
        }
      />
    </section>
  )
}
