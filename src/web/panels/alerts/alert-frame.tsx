import type { ReactNode } from 'react'
import { PlainText } from '../../ui/plain-text.tsx'
import { RowEnd } from '../../ui/row-end.tsx'
import { AlertTabs } from './alert-tabs.tsx'

/** Head, tabs and content of a page about alerts. */
export function AlertFrame({
  organization,
  title,
  children,
}: {
  organization: string
  title: string
  children: ReactNode
}) {
  return (
    <div className="stream alert-page">
      <div className="stream-head">
        <h1>
          <PlainText text={title} charactersMax={300} />
        </h1>
        <RowEnd />
      </div>
      <AlertTabs organization={organization} />
      <div className="settings-page">{children}</div>
    </div>
  )
}
