'use client'
import { Dialog as Base } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import { useTranslations } from 'next-intl'
import type { ReactNode, RefObject } from 'react'
import { buttonClass } from './forms/controls.tsx'
import { useSuspendedKeys } from './keys/keys.tsx'

/**
 * A modal dialog, open while mounted. Load it with `next/dynamic`, because it adds 24 KiB. `focus` is the element to
 * focus first, by default the close button. The page's keys are off, unless `keys` is set (visible target).
 */
export function Dialog({
  title,
  onClose,
  focus,
  keys = false,
  children,
}: {
  title: string
  onClose: () => void
  focus?: RefObject<HTMLElement | null>
  keys?: boolean
  children: ReactNode
}) {
  useSuspendedKeys(!keys)
  const t = useTranslations('common')
  return (
    <Base.Root open onOpenChange={(open) => (open ? undefined : onClose())}>
      <Base.Portal>
        <Base.Backdrop className="backdrop" />
        <Base.Popup className="dialog" {...(focus ? { initialFocus: focus } : {})}>
          <div className="mb-3 flex items-start justify-between gap-3">
            <Base.Title>{title}</Base.Title>
            <Base.Close className={buttonClass({ look: 'plain', compact: true, icon: true })} aria-label={t('close')}>
              <X size={15} strokeWidth={1.75} />
            </Base.Close>
          </div>
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}
