'use client'
import { useTranslations } from 'next-intl'
import type { RestIntegration } from '../../../../../../contract/alerts/trackers.ts'
import { CopyButton } from '../../../../../ui/copy/copy-button.tsx'
import { ActionForm } from '../../../../../ui/forms/action-form.tsx'
import { Button, TextField } from '../../../../../ui/forms/controls.tsx'
import { PlainText } from '../../../../../ui/plain-text.tsx'
import { SeverityShape } from '../../../../../ui/severity.tsx'
import { useAge } from '../../../../../ui/time.tsx'
import { changeAction, deleteAction, renewAction, testAction } from './actions.ts'
import { ActButton, Check, Results, startState } from './tracker-form.tsx'

type RowProps = { organization: string; integration: RestIntegration }

/** Why nothing is sent, and who must reconnect. */
function Problem({ integration }: { integration: RestIntegration }) {
  const t = useTranslations('integrations')
  const age = useAge()
  const { refusedSince, lastError, connectedBy, provider } = integration
  if (refusedSince === null)
    return lastError === '' ? null : (
      <p className="mt-1 text-warning wrap-anywhere">
        <PlainText text={t('lastError', { error: lastError })} charactersMax={400} />
      </p>
    )
  const words = { service: provider.name, age: age(Date.parse(refusedSince)), error: lastError }
  const name = connectedBy ? connectedBy.name || connectedBy.email : ''
  return (
    <p role="alert" className="mt-1 text-error wrap-anywhere">
      <PlainText text={t('refusedSince', words)} charactersMax={500} />{' '}
      <PlainText text={name ? t('reconnectBy', { name }) : t('reconnectAny')} charactersMax={200} /> {t('stopped')}
    </p>
  )
}

function Deliveries({ deliveries }: Pick<RestIntegration, 'deliveries'>) {
  const t = useTranslations('integrations')
  const { accepted, ignored, repeated, unsigned, bad_signature: wrong, limited, invalid } = deliveries
  const refused = unsigned + wrong + limited + invalid
  const isNone = accepted + ignored + repeated + refused === 0
  return (
    <p className="mt-1 text-small text-ink-3">
      {isNone ? t('noDeliveries') : t('deliveries', { accepted, ignored, repeated, refused })}
    </p>
  )
}

/** Options, a new token, and how to set up the webhook. */
function Settings({ organization, integration }: RowProps) {
  const t = useTranslations('integrations')
  const { id, provider, webhookUrl } = integration
  return (
    <details className="mt-2" open={integration.refusedSince !== null}>
      <summary className="text-small text-ink-2">{t('settings')}</summary>
      <div className="mt-2 flex max-w-[560px] flex-col gap-3">
        <h3>{t('webhook')}</h3>
        <p className="text-ink-2">{t(`${provider.key}_hook`)}</p>
        <div className="flex items-center gap-2">
          <code className="min-w-0 break-all">{webhookUrl}</code>
          <CopyButton text={webhookUrl} label={t('copyUrl')} />
        </div>
        <ActButton action={renewAction} name={`renew-${id}`} hidden={{ organization, integration: id }}>
          {t('renew')}
        </ActButton>
        <ActionForm
          action={changeAction}
          initial={startState}
          name={`change-${id}`}
          className="flex flex-col gap-3 border-t border-line pt-3"
        >
          {(state, pending) => (
            <>
              <Results state={state} />
              <input type="hidden" name="organization" value={organization} />
              <input type="hidden" name="integration" value={id} />
              <TextField
                id={`token-${id}`}
                name="token"
                type="password"
                label={t('newToken')}
                hint={t(`${provider.key}_tokenHint`)}
                errors={state.fields.token ?? state.fields.tracker}
                autoComplete="off"
              />
              <TextField
                id={`secret-${id}`}
                name="secret"
                type="password"
                label={t('webhookSecret')}
                errors={state.fields.secret}
                autoComplete="off"
              />
              <Check id={`state-${id}`} name="syncState" label={t('syncState')} on={integration.syncState} />
              <Check
                id={`comments-${id}`}
                name="syncComments"
                label={t('syncComments')}
                on={integration.syncComments}
              />
              <div>
                <Button type="submit" disabled={pending}>
                  {integration.refusedSince === null ? t('save') : t('reconnect')}
                </Button>
              </div>
            </>
          )}
        </ActionForm>
        <div className="border-t border-line pt-3">
          <p className="mb-2 text-small text-ink-3">{t('deleteAsk')}</p>
          <ActButton action={deleteAction} name={`delete-${id}`} hidden={{ organization, integration: id }} danger>
            {t('delete')}
          </ActButton>
        </div>
      </div>
    </details>
  )
}

/** One connection: its state, its webhooks and its settings. */
export function IntegrationRow({ organization, integration, mayWrite }: RowProps & { mayWrite: boolean }) {
  const t = useTranslations('integrations')
  const { id, name, provider, target, account, domainName, status, syncState, syncComments } = integration
  const isActive = status === 'active'
  return (
    <li className="border-b border-line py-4" data-integration={id} data-state={status}>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <SeverityShape level={isActive ? 'ok' : 'error'} label={isActive ? t('active') : t('refused')} sizePx={10} />
        <h2>
          <PlainText text={name} charactersMax={64} />
        </h2>
        <span className="chip">{provider.name}</span>
        {target === name ? null : (
          <span className="chip">
            <PlainText text={target} charactersMax={120} />
          </span>
        )}
        {mayWrite ? (
          <div className="ml-auto">
            <ActButton action={testAction} name={`test-${id}`} hidden={{ organization, integration: id }}>
              {t('test')}
            </ActButton>
          </div>
        ) : null}
      </div>
      <p className="mt-1 text-ink-2 wrap-anywhere">
        <PlainText text={t('account', { account, host: domainName })} charactersMax={300} />{' '}
        {syncState ? t('stateOn') : t('stateOff')}. {syncComments ? t('commentsOn') : t('commentsOff')}.
      </p>
      <Problem integration={integration} />
      <Deliveries deliveries={integration.deliveries} />
      {mayWrite ? <Settings organization={organization} integration={integration} /> : null}
    </li>
  )
}
