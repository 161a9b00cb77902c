import type { ReactNode } from 'react'
import { type GuardedState, noGuardedState } from '../../../../../../client/form.ts'
import { ActionForm } from '../../../../../../ui/forms/action-form.tsx'
import { Button } from '../../../../../../ui/forms/controls.tsx'
import { Stale } from '../../../../../../ui/stale.tsx'
import { useToast } from '../../../../../../ui/toast.tsx'

/** A form of project settings with the ids, the conflict with another editor, and the button. Who may not write reads it. */
export function GuardedProjectForm({
  action,
  name,
  place,
  texts,
  mayWrite,
  hasButton = true,
  children,
}: {
  action: (before: GuardedState, data: FormData) => Promise<GuardedState>
  name: string
  /** `revision`: the project's revision when the form was rendered. */
  place: { organization: string; project: string; revision: number }
  texts: { save: string; saved: string }
  mayWrite: boolean
  /** Without write access the button is disabled; false hides it. */
  hasButton?: boolean
  children: (state: GuardedState) => ReactNode
}) {
  const toast = useToast()
  return (
    <ActionForm
      action={action}
      initial={noGuardedState}
      name={name}
      onDone={() => toast({ text: texts.saved, stayMs: 3000 })}
    >
      {(state, pending) => (
        <fieldset disabled={!mayWrite || pending} className="flex flex-col border-t border-line">
          <input type="hidden" name="organization" value={place.organization} />
          <input type="hidden" name="project" value={place.project} />
          <input type="hidden" name="revision" value={place.revision} />
          {children(state)}
          {hasButton ? (
            <div className="pt-4">
              <Button type="submit" look="main">
                {texts.save}
              </Button>
            </div>
          ) : null}
          {/* After the button, so that Enter in a field does not overwrite the change of somebody else. */}
          {state.stale ? (
            <div className="pt-4">
              <Stale form={name} stale={state.stale} pending={pending} />
            </div>
          ) : null}
        </fieldset>
      )}
    </ActionForm>
  )
}
