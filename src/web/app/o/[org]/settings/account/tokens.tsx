'use client'
import { useTranslations } from 'next-intl'
import { noState } from '../../../../../form.ts'
import { ActionForm } from '../../../../../ui/action-form.tsx'
import { Button } from '../../../../../ui/controls.tsx'
import { CopyButton } from '../../../../../ui/copy-button.tsx'
import { PlainText } from '../../../../../ui/plain-text.tsx'
import { ShortForm } from '../../../../../ui/short-form.tsx'
import { RelativeTime } from '../../../../../ui/time.tsx'
import { createTokenAction, deleteTokenAction, type TokenState } from './actions.ts'

export type ShownToken = {
  id: number
  name: string
  prefix: string
  scopes: string[]
  createdMs: number
  lastUsedMs: number | null
}

const usual = ['org:read', 'project:read', 'event:read']
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
          <code className="text-ink-3">{token.prefix}…</code>
        </div>
      </td>
      <td className="text-ink-2">
        <code>{token.scopes.join(' ')}</code>
      </td>
      <td className="whitespace-nowrap text-ink-2">
        {token.lastUsedMs === null ? t('never') : <RelativeTime at={token.lastUsedMs} />}
      </td>
      <td className="text-right">
        <ActionForm action={deleteTokenAction} initial={noState} name={`delete-token-${token.id}`} className="">
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

function NewToken({
  organization,
  scopes,
  disabled,
}: {
  organization: string
  scopes: readonly string[]
  disabled: boolean
}) {
  const t = useTranslations('account')
  return (
    <ShortForm
      action={createTokenAction}
      initial={start}
      form="new-token"
      className="mt-5 flex max-w-[560px] flex-col gap-3"
      hidden={{ organization }}
      field={{ id: 'token-name', label: t('tokenName') }}
      submit={t('createToken')}
      disabled={disabled}
      before={({ secret }) =>
        secret ? (
          <div className="box p-3" role="status">
            <p className="mb-2">{t('once')}</p>
            <div className="flex items-center gap-2">
              <code className="min-w-0 break-all" data-testid="token">
                {secret}
              </code>
              <CopyButton text={secret} label={t('copy')} />
            </div>
          </div>
        ) : null
      }
    >
      {({ fields }) => (
        <fieldset>
          <legend className="mb-1 font-[550]">{t('scopes')}</legend>
          <div className="grid grid-cols-2 gap-x-4 narrow:grid-cols-3">
            {scopes.map((scope) => (
              <label key={scope} className="flex min-h-7 items-center gap-2">
                <input
                  type="checkbox"
                  name="scopes"
                  value={scope}
                  defaultChecked={usual.includes(scope)}
                  className="checkbox"
                />
                <code>{scope}</code>
              </label>
            ))}
          </div>
          {fields.scopes ? (
            <p role="alert" className="text-small text-error">
              {fields.scopes.join(' ')}
            </p>
          ) : null}
        </fieldset>
      )}
    </ShortForm>
  )
}

/** The person's API tokens; a new one's secret is shown once. */
export function Tokens({
  organization,
  tokens,
  scopes,
  mayCreate,
}: {
  organization: string
  tokens: ShownToken[]
  scopes: readonly string[]
  mayCreate: boolean
}) {
  const t = useTranslations('account')
  return (
    <section>
      <h2>{t('tokens')}</h2>
      <p className="mb-3 max-w-[72ch] text-ink-2">{mayCreate ? t('tokensIntro') : t('mayNotCreate')}</p>
      {tokens.length > 0 ? (
        <div className="overflow-x-auto">
          <table className="table">
            <thead>
              <tr>
                <th>{t('tokenName')}</th>
                <th>{t('scopes')}</th>
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
      <NewToken organization={organization} scopes={scopes} disabled={!mayCreate} />
    </section>
  )
}
