'use client'
import type { ReactNode } from 'react'
import { PlainText } from '../../ui/plain-text.tsx'
import { MetadataNote } from './metadata-note.tsx'

/** A payload value as text: strings unchanged, other values as JSON on one line. */
function valueText(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === undefined) return ''
  return JSON.stringify(value) ?? ''
}

export type Detail = { name: string; value: unknown; path?: string; node?: ReactNode }

/** Names and values in two columns. Long values wrap and are cut at 4,000 characters. */
export function DetailList({ details }: { details: readonly Detail[] }) {
  return (
    <dl className="detail-list">
      {details.map(({ name, value, path, node }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a header can occur twice
        <div key={`${index}:${name}`}>
          <dt>
            <PlainText text={name} charactersMax={200} />
          </dt>
          <dd>
            {node ?? <PlainText text={valueText(value)} charactersMax={4000} />}
            {path ? <MetadataNote path={path} /> : null}
          </dd>
        </div>
      ))}
    </dl>
  )
}
