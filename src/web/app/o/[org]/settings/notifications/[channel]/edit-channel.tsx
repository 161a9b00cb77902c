'use client'
import { useTranslations } from 'next-intl'
import { ActionForm } from '../../../../../../ui/forms/action-form.tsx'
import { Button } from '../../../../../../ui/forms/controls.tsx'
import { updateChannelAction } from '../actions.ts'
import { ChannelFields, type ChannelStart, type KindForm } from '../channel-fields.tsx'
import { startState } from '../channel-row.tsx'

/** The form that changes a channel. Secrets are not shown; one that is left empty stays. */
export function EditChannel({
  organization,
  channel,
  form,
  start,
  projects,
}: {
  organization: string
  channel: number
  form: KindForm
  start: ChannelStart
  projects: readonly string[]
}) {
  const t = useTranslations('channels')
  return (
    <section className="mt-8">
      <h2 className="mb-3">{t('edit')}</h2>
      <ActionForm
        action={updateChannelAction}
        initial={startState}
        name={`channel-${channel}`}
        className="flex max-w-[560px] flex-col gap-3"
      >
        {(state, pending) => (
          <>
            <input type="hidden" name="organization" value={organization} />
            <input type="hidden" name="channel" value={channel} />
            <ChannelFields form={form} start={start} projects={projects} state={state} isKept />
            <div className="flex items-center gap-3">
              <Button type="submit" disabled={pending}>
                {t('save')}
              </Button>
              {state.done ? <span role="status">{t('saved')}</span> : null}
            </div>
          </>
        )}
      </ActionForm>
    </section>
  )
}
