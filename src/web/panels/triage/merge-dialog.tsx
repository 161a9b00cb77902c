'use client'
import { useTranslations } from 'next-intl'
import { useRef } from 'react'
import type { RestIssue } from '../../../contract/issues.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Button, buttonClass } from '../../ui/forms/controls.tsx'
import { PlainText } from '../../ui/plain-text.tsx'

/** Maximum issues to name; the others are counted. */
const namesMax = 8

function Line({ issue }: { issue: RestIssue }) {
  return (
    <>
      <code>{issue.shortId}</code> <PlainText text={issue.title} charactersMax={120} />
    </>
  )
}

/** Asks whether to merge issues, and shows which issue remains. */
export function MergeDialog({
  into,
  others,
  merge,
  onClose,
}: {
  into: RestIssue
  others: readonly RestIssue[]
  merge: () => void
  onClose: () => void
}) {
  const t = useTranslations('triage.merge')
  const common = useTranslations('common')
  const yes = useRef<HTMLButtonElement>(null)
  const more = others.length - namesMax
  return (
    <Dialog title={t('title', { count: others.length + 1 })} onClose={onClose} focus={yes}>
      <p className="text-ink-2">{t('stays')}</p>
      <p className="mt-1 truncate font-[550]">
        <Line issue={into} />
      </p>
      <p className="mt-3 text-ink-2">{t('go')}</p>
      <ul className="mt-1">
        {others.slice(0, namesMax).map((other) => (
          <li key={other.id} className="truncate">
            <Line issue={other} />
          </li>
        ))}
        {more > 0 ? <li className="text-ink-3">{t('more', { count: more })}</li> : null}
      </ul>
      <p className="mt-3 text-small text-ink-3">{t('back')}</p>
      <div className="mt-4 flex gap-2">
        <button
          ref={yes}
          type="button"
          className={buttonClass({ look: 'main' })}
          onClick={() => {
            onClose()
            merge()
          }}
        >
          {t('merge')}
        </button>
        <Button onClick={onClose}>{common('cancel')}</Button>
      </div>
    </Dialog>
  )
}
