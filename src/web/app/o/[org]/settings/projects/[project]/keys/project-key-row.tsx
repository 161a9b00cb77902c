'use client'
import { useTranslations } from 'next-intl'
import { noState } from '../../../../../../../client/form.ts'
import { CopyButton } from '../../../../../../../ui/copy/copy-button.tsx'
import { ActionForm } from '../../../../../../../ui/forms/action-form.tsx'
import { Button, Field, Select, TextField } from '../../../../../../../ui/forms/controls.tsx'
import { PlainText } from '../../../../../../../ui/plain-text.tsx'
import { SeverityShape } from '../../../../../../../ui/severity.tsx'
import { Time } from '../../../../../../../ui/time.tsx'
import { limitKeyAction, switchKeyAction } from './actions.ts'
import { rateWindowsS } from './rate-limit.ts'

export type KeyPlace = { organization: string; project: string }
export type ShownKey = {
  id: number
  label: string
  dsn: string
  active: boolean
  rateLimit: { count: number; windowS: number } | null
  revision: number
  lastUsedMs: number | null
  createdMs: number
}

function Hidden({ place, projectKey: { id, revision } }: { place: KeyPlace; projectKey: ShownKey }) {
  return (
    <>
      <input type="hidden" name="organization" value={place.organization} />
      <input type="hidden" name="project" value={place.project} />
      <input type="hidden" name="key" value={id} />
      <input type="hidden" name="revision" value={revision} />
    </>
  )
}

/** One key: its DSN, state and rate limit. */
export function ProjectKeyRow({
  place,
  projectKey,
  mayWrite,
}: {
  place: KeyPlace
  projectKey: ShownKey
  mayWrite: boolean
}) {
  const t = useTranslations('keys')
  const { id, label, dsn, active, rateLimit, lastUsedMs } = projectKey
  return (
    <li className="border-b border-line py-4" data-key={id}>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <SeverityShape level={active ? 'ok' : 'debug'} label={active ? t('on') : t('off')} sizePx={10} />
        <h2>
          <PlainText text={label} />
        </h2>
        {active ? null : <span className="chip text-ink-3">{t('off')}</span>}
        <span className="text-small text-ink-3">
          {lastUsedMs === null ? (
            t('neverUsed')
          ) : (
            <>
              {t('lastUsed')} <Time at={lastUsedMs} />
            </>
          )}
        </span>
        <ActionForm action={switchKeyAction} initial={noState} name={`switch-${id}`} className="ml-auto">
          {(_state, pending) => (
            <>
              <Hidden place={place} projectKey={projectKey} />
              <input type="hidden" name="active" value={active ? 'no' : 'yes'} />
              <Button type="submit" compact disabled={pending || !mayWrite}>
                {active ? t('disable') : t('enable')}
              </Button>
            </>
          )}
        </ActionForm>
      </div>
      <div className="mt-2 flex items-center gap-2">
        <code className="min-w-0 break-all">{dsn}</code>
        <CopyButton text={dsn} label={t('copyDsn')} iconOnly />
      </div>
      <ActionForm
        action={limitKeyAction}
        initial={noState}
        name={`limit-${id}`}
        className="mt-3 flex flex-wrap items-end gap-3"
      >
        {(state, pending) => (
          <>
            <Hidden place={place} projectKey={projectKey} />
            <div className="w-[180px]">
              <TextField
                id={`count-${id}`}
                name="count"
                label={t('limit')}
                errors={state.fields.count}
                inputMode="numeric"
                placeholder={t('noLimit')}
                disabled={!mayWrite}
                defaultValue={state.values.count ?? rateLimit?.count ?? ''}
              />
            </div>
            <div className="w-[140px]">
              <Field id={`window-${id}`} label={t('window')}>
                <Select
                  id={`window-${id}`}
                  name="window"
                  disabled={!mayWrite}
                  defaultValue={String(rateLimit?.windowS ?? 60)}
                  aria-describedby={`window-${id}-note`}
                >
                  {rateWindowsS.map((windowS) => (
                    <option key={windowS} value={windowS}>
                      {t(`window${windowS}`)}
                    </option>
                  ))}
                </Select>
              </Field>
            </div>
            <Button type="submit" disabled={pending || !mayWrite} className="mb-1">
              {t('setLimit')}
            </Button>
          </>
        )}
      </ActionForm>
    </li>
  )
}
