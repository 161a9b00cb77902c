import { type RefObject, useEffect } from 'react'

/** Closes an open `details` at a press elsewhere. A press moves no focus if the focus was not in it. */
export function useCloseOutside(details: RefObject<HTMLDetailsElement | null>, isOpen: boolean): void {
  useEffect(() => {
    if (!isOpen) return undefined
    const close = ({ target }: Event) => {
      const { current } = details
      if (current && !current.contains(target as Node)) current.open = false
    }
    document.addEventListener('pointerdown', close)
    return () => document.removeEventListener('pointerdown', close)
  }, [details, isOpen])
}
