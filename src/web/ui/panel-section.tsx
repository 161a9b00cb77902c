import type { ReactNode } from 'react'

/** The section of a panel: a heading, controls next to it, and the content. `id` is an anchor of the page. */
export function Section({
  id,
  title,
  aside,
  children,
}: {
  id: string
  title: string
  aside?: ReactNode
  children: ReactNode
}) {
  return (
    <section id={id} className="part" aria-labelledby={`${id}-title`}>
      <div className="part-head">
        <h2 id={`${id}-title`}>{title}</h2>
        {aside ? <div className="part-aside">{aside}</div> : null}
      </div>
      {children}
    </section>
  )
}
