'use client'
import { useTranslations } from 'next-intl'
import type { GuardedState } from '../../../../../../client/form.ts'

/** Check boxes with their texts and hints. */
export function Boxes<Name extends string>({
  names,
  on,
  state: { values },
}: {
  names: readonly Name[]
  on: Readonly<Record<Name, boolean>>
  state: GuardedState
}) {
  const t = useTranslations('projectSettings')
  // A sent form names the boxes that were on. Before that, the project's values apply.
  const sent = Object.keys(values).length > 0
  return names.map((name) => (
    <div key={name}>
      <label className="flex min-h-7 items-center gap-2 font-[550]">
        <input
          type="checkbox"
          name={name}
          value="on"
          className="checkbox"
          defaultChecked={sent ? values[name] === 'on' : on[name]}
          aria-describedby={`${name}-note`}
        />
        {t(name as string)}
      </label>
      <p id={`${name}-note`} className="text-small text-ink-3">
        {t(`${name as string}Hint`)}
      </p>
    </div>
  ))
}
