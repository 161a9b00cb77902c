'use client'
import { useTranslations } from 'next-intl'
import { type FormState, noState } from '../../../../../client/form.ts'
import { CopyButton } from '../../../../../ui/copy/copy-button.tsx'
import { ActionForm } from '../../../../../ui/forms/action-form.tsx'
import { Button } from '../../../../../ui/forms/controls.tsx'
import { PlainText } from '../../../../../ui/plain-text.tsx'
import { Time } from '../../../../../ui/time.tsx'

export type ShownToken = {
  id: number
  name: string
  prefix: string
  scopes: string[]
  createdMs: number
  lastUsedMs: number | null
}

/** Props of a token list. `form` is the prefix of its form names, `remove` deletes a token. */
type Listed = {
  organization: string
  tokens: ShownToken[]
  form: string
  remove(before: FormState, data: FormData): Promise<FormState>
  /** Whether to show the scopes of each token. */
  withScopes?: boolean
}

function TokenRow({ organization, form, remove, withScopes, token }: Omit<Listed, 'tokens'> & { token: ShownToken }) {
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
      {withScopes ? (
        <td className="text-ink-2">
          <code>{token.scopes.join(' ')}</code>
        </td>
      ) : null}
      <td className="whitespace-nowrap text-ink-2">
        {token.lastUsedMs === null ? t('never') : <Time at={token.lastUsedMs} />}
      </td>
      <td className="text-right">
        <ActionForm action={remove} initial={noState} name={`${form}-${token.id}`} className="">
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

/** Tokens with their last use and a delete button. Renders nothing without tokens. */
export function TokenList({ tokens, ...listed }: Listed) {
  const t = useTranslations('account')
  if (tokens.length === 0) return null
  return (
    <div className="overflow-x-auto">
      <table className="table">
        <thead>
          <tr>
            <th>{t('tokenName')}</th>
            {listed.withScopes ? <th>{t('scopes')}</th> : null}
            <th>{t('lastUsed')}</th>
            <th>
              <span className="visually-hidden">{t('delete')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {tokens.map((token) => (
            <TokenRow key={token.id} {...listed} token={token} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** The secret of a new token, shown once. Renders nothing without a secret. */
export function NewSecret({ secret, testId }: { secret: string | null; testId: string }) {
  const t = useTranslations('account')
  if (!secret) return null
  return (
    <div className="box p-3" role="status">
      <p className="mb-2">{t('once')}</p>
      <div className="flex items-center gap-2">
        <code className="min-w-0 break-all" data-testid={testId}>
          {secret}
        </code>
        <CopyButton text={secret} label={t('copy')} />
      </div>
    </div>
  )
}
