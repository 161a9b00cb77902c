'use client'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { systemClock } from '../../../base/clock.ts'
import { Button } from '../../ui/forms/controls.tsx'
import type { ListParams } from './list-params.ts'
import { boundsOf, localFieldOf } from './range.ts'
import type { ParamChange } from './use-list-params.ts'

/** Two fields for the ends of an absolute range. */
export function RangeForm({
  params,
  change,
  close,
}: {
  params: Pick<ListParams, 'range'>
  change: (change: ParamChange) => void
  close: () => void
}) {
  const t = useTranslations('issues.range')
  const [bounds] = useState(() => boundsOf(params.range, systemClock.now()))
  const [wrong, setWrong] = useState(false)
  return (
    <form
      className="range-panel"
      onSubmit={(event) => {
        event.preventDefault()
        const form = new FormData(event.currentTarget)
        const fromMs = Date.parse(String(form.get('from')))
        const toMs = Date.parse(String(form.get('to')))
        if (!(fromMs < toMs)) return setWrong(true)
        change({ t: null, from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() })
        close()
      }}
    >
      <label>
        {t('from')}
        <input
          className="input"
          type="datetime-local"
          name="from"
          required
          // biome-ignore lint/a11y/noAutofocus: the panel opens on request, and its first field is used next
          autoFocus
          defaultValue={localFieldOf(bounds.fromMs)}
        />
      </label>
      <label>
        {t('to')}
        <input className="input" type="datetime-local" name="to" required defaultValue={localFieldOf(bounds.toMs)} />
      </label>
      {wrong ? (
        <p role="alert" className="text-small text-error">
          {t('wrong')}
        </p>
      ) : null}
      <div className="flex gap-2">
        <Button type="submit" look="main" compact>
          {t('apply')}
        </Button>
        <Button compact look="plain" onClick={close}>
          {t('cancel')}
        </Button>
      </div>
    </form>
  )
}
