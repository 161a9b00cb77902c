'use client'
import { type ReactNode, useEffect, useRef } from 'react'

/**
 * A button with a menu, made of `<details>`: it opens without scripts too. It closes on Escape, on a link inside, and
 * when the focus leaves it or a press lands outside. `summary` is the content of the button, `name` its name and `className` its classes.
 */
export function Menu({
  summary,
  name,
  className,
  panelClass,
  children,
}: {
  summary: ReactNode
  name: string
  className: string
  panelClass: string
  children: ReactNode
}) {
  const details = useRef<HTMLDetailsElement>(null)
  const close = () => {
    if (details.current) details.current.open = false
  }
  useEffect(() => {
    // A press on plain text moves no focus, so `onBlur` does not see it.
    const onPress = (event: PointerEvent) => {
      const { current } = details
      if (current?.open && event.target instanceof Node && !current.contains(event.target)) current.open = false
    }
    document.addEventListener('pointerdown', onPress)
    return () => document.removeEventListener('pointerdown', onPress)
  }, [])
  return (
    <details
      ref={details}
      className="menu"
      onClick={(event) => {
        if (event.target instanceof Element && event.target.closest('a, [data-closes]')) close()
      }}
      onBlur={(event) => {
        const to = event.relatedTarget
        if (to && !event.currentTarget.contains(to)) close()
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !details.current?.open) return
        event.stopPropagation()
        close()
        details.current.querySelector('summary')?.focus()
      }}
    >
      <summary className={className} title={name}>
        {/* A hidden text and no label: a label would have to repeat all visible text. */}
        <span className="visually-hidden">{name}</span>
        <span aria-hidden="true" className="contents">
          {summary}
        </span>
      </summary>
      <div className={`menu-panel ${panelClass}`}>{children}</div>
    </details>
  )
}
