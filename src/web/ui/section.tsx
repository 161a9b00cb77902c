import type { ReactNode } from 'react'

/** A section of a page with its heading and a note next to it. */
export function Section({
  id,
  title,
  note,
  children,
}: {
  /** For links to it. */
  id?: string
  title: string
  note?: ReactNode
  children: ReactNode
}) {
  return (
    <section id={id} className="mb-8 min-w-0">
      <h2 className="mb-2 flex flex-wrap items-baseline gap-x-3">
        {title}
        {note ? <span className="text-small font-normal text-ink-3">{note}</span> : null}
      </h2>
      {children}
    </section>
  )
}

/** The head of a table. */
export function TableHead({ columns }: { columns: readonly { text: string; number?: boolean }[] }) {
  return (
    <thead>
      <tr>
        {columns.map(({ text, number }) => (
          <th key={text} className={number ? 'number' : undefined}>
            {text}
          </th>
        ))}
      </tr>
    </thead>
  )
}
