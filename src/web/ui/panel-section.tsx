import type { ReactNode } from 'react'
import { RowEnd } from './row-end.tsx'

/** The section of a panel: a heading, a note and controls next to it, and the content. `id` is an anchor of the page. */
export function Section({
  id,
  title,
  note,
  aside,
  children,
}: {
  id: string
  title: string
  note?: ReactNode
  aside?: ReactNode
  children: ReactNode
}) {
  return (
    <section id={id} className="part" aria-labelledby={`${id}-title`}>
      <div className={aside ? 'part-head part-head-controls' : 'part-head'}>
        <h2 id={`${id}-title`}>{title}</h2>
        {note === undefined ? null : <span className="part-head-note">{note}</span>}
        {aside ? (
          <div className="part-aside">
            {aside}
            <RowEnd />
          </div>
        ) : null}
      </div>
      {children}
    </section>
  )
}
