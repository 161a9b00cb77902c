import { type RefObject, useEffect } from 'react'

/** Closes an open `details` at a press elsewhere. A press moves no focus if the focus was not in it. */
export function useCloseOutside(details: RefObject<HTMLDetailsElement | null>, isOpen: boolean): void {
  useEffect(() => {
    if (!isOpen) return undefined
    const close = (event: PointerEvent) => {
      if (event.target instanceof Node && details.current && !details.current.contains(event.target))
        details.current.open = false
    }
    document.addEventListener('pointerdown', close)
    return () => document.removeEventListener('pointerdown', close)
  }, [details, isOpen])
}
