import type { ReactNode } from 'react'

/** A labelled box for wide content. It is focusable, so that arrow keys can scroll it. */
export function ScrollBox({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className="overflow-x-auto" aria-label={label} tabIndex={0}>
      {children}
    </section>
  )
}
