'use client'
import { useTranslations } from 'next-intl'
import { Dialog } from './dialog.tsx'
import { groupedBindings } from './key-rules.ts'
import { useBindings } from './keys.tsx'

/** The keys that work on this page, from the registry. */
export function KeyHelp({ onClose }: { onClose: () => void }) {
  const t = useTranslations('shell')
  const groups = groupedBindings(useBindings())
  return (
    <Dialog title={t('keysTitle')} onClose={onClose}>
      {groups.map(({ group, rows }) => (
        <section key={group} className="mb-4">
          <h3 className="mb-1 text-ink-3">{group}</h3>
          <dl className="grid grid-cols-[1fr_auto] gap-x-6 gap-y-1">
            {rows.map((row) => (
              <div key={row.keys} className="contents">
                <dt>{row.label}</dt>
                <dd className="flex justify-end gap-1">
                  {row.shown.map((one) => (
                    <kbd key={one} className="key">
                      {one}
                    </kbd>
                  ))}
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Dialog>
  )
}
