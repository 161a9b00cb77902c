'use client'
import { X } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { createContext, type ReactNode, useCallback, useContext, useMemo, useRef, useState } from 'react'
import { systemClock } from '../../base/clock.ts'
import { Button } from './forms/controls.tsx'
import { SeverityShape } from './severity.tsx'

type Toast = {
  text: string
  kind?: 'ok' | 'error' | 'info'
  /** A button, such as Undo. */
  action?: { label: string; run: () => void }
  /** How long it stays, ms. The default of 10 s is the time to undo a change. */
  stayMs?: number
}

const Toasts = createContext<(toast: Toast) => () => void>(() => () => {})

/** `useToast()({ text, action })` shows a message and returns a function to close it. At most four are visible. */
export const useToast = (): ((toast: Toast) => () => void) => useContext(Toasts)

/** Our own toasts: libraries insert a <style>, which the Content-Security-Policy blocks. */
export function ToastProvider({ children }: { children: ReactNode }) {
  const t = useTranslations('common')
  const [shown, setShown] = useState<(Toast & { id: number })[]>([])
  const last = useRef(0)
  const close = useCallback((id: number) => setShown((all) => all.filter((toast) => toast.id !== id)), [])
  const show = useCallback(
    (toast: Toast) => {
      last.current += 1
      const id = last.current
      setShown((all) => [...all.slice(-3), { ...toast, id }])
      systemClock.after(toast.stayMs ?? 10_000, () => close(id))
      return () => close(id)
    },
    [close],
  )
  const body = useMemo(
    () =>
      shown.map((toast) => (
        <div key={toast.id} className="toast" role={toast.kind === 'error' ? 'alert' : undefined}>
          <SeverityShape level={toast.kind ?? 'ok'} label="" sizePx={10} />
          <span className="min-w-0 grow break-words">{toast.text}</span>
          {toast.action ? (
            <Button
              compact
              onClick={() => {
                close(toast.id)
                toast.action?.run()
              }}
            >
              {toast.action.label}
            </Button>
          ) : null}
          <Button look="plain" compact icon aria-label={t('close')} onClick={() => close(toast.id)}>
            <X size={15} strokeWidth={1.75} />
          </Button>
        </div>
      )),
    [shown, close, t],
  )
  return (
    <Toasts value={show}>
      {children}
      <div className="toasts" aria-live="polite">
        {body}
      </div>
    </Toasts>
  )
}
