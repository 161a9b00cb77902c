'use client'
import { useTranslations } from 'next-intl'
import { noState } from '../../../../../../client/form.ts'
import { ShortForm } from '../../../../../../ui/forms/short-form.tsx'
import { createTokenAction, deleteTokenAction, type TokenState } from '../actions.ts'
import { NewSecret, type ShownToken, TokenList } from '../token-list.tsx'

const usual = ['org:read', 'project:read', 'event:read']
const start: TokenState = { ...noState, secret: null }

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
      before={({ secret }) => <NewSecret secret={secret} testId="token" />}
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

/** The person's API tokens. Shows a new secret once. */
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
      <h1 className="mb-2">{t('tokens')}</h1>
      <p className="mb-3 max-w-[72ch] text-ink-2">{mayCreate ? t('tokensIntro') : t('mayNotCreate')}</p>
      <TokenList
        organization={organization}
        tokens={tokens.map((token) => ({ ...token, prefix: `${token.prefix}…` }))}
        form="delete-token"
        remove={deleteTokenAction}
        withScopes
      />
      <NewToken organization={organization} scopes={scopes} disabled={!mayCreate} />
    </section>
  )
}
