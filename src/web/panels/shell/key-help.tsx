'use client'
import { useTranslations } from 'next-intl'
import { Fragment, useState } from 'react'
import { Dialog } from '../../ui/dialog.tsx'
import { groupedBindings } from '../../ui/keys/key-rules.ts'
import { useBindings, useRenewKeys } from '../../ui/keys/keys.tsx'
import { setSingleKeys, singleKeysOff } from '../../ui/keys/single-keys.ts'

/** The keys of this page, from the registry. */
export function KeyHelp({ onClose }: { onClose: () => void }) {
  const t = useTranslations('shell')
  const groups = groupedBindings(useBindings())
  const renew = useRenewKeys()
  const [on, setOn] = useState(() => !singleKeysOff())
  return (
    <Dialog title={t('keysTitle')} onClose={onClose}>
      <label className="mb-4 flex items-center gap-2">
        <input
          type="checkbox"
          className="checkbox"
          checked={on}
          onChange={(event) => {
            setOn(event.target.checked)
            setSingleKeys(event.target.checked)
            renew()
          }}
        />
        {t('singleKeys')}
        {on ? null : <span className="text-ink-3">{t('singleKeysOff')}</span>}
      </label>
      {groups.map(({ group, rows }) => (
        <section key={group} className="mb-4">
          <h3 className="mb-1 text-ink-3">{group}</h3>
          <dl className="grid grid-cols-[1fr_auto] gap-x-6 gap-y-1">
            {rows.map((row) => (
              <div key={row.label} className="contents">
                <dt>{row.label}</dt>
                <dd className="flex items-baseline justify-end gap-1">
                  {row.ways.map((way, at) => (
                    <Fragment key={way.join(' ')}>
                      {at > 0 ? <span className="text-ink-3">{t('keysOr')}</span> : null}
                      {way.map((keyName) => (
                        <kbd key={keyName} className="key">
                          {keyName}
                        </kbd>
                      ))}
                    </Fragment>
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
