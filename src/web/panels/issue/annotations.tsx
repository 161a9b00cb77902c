'use client'
import { useTranslations } from 'next-intl'
import { createContext, type ReactNode, useContext, useMemo } from 'react'
import { PlainText } from '../../ui/plain-text.tsx'
import { type Remark, remarkIndex } from './remarks.ts'

const Remarks = createContext<ReadonlyMap<string, Remark[]>>(new Map())

/** Gives the values below their remarks. */
export function RemarksProvider({ remarks, children }: { remarks: readonly Remark[]; children: ReactNode }) {
  return <Remarks value={useMemo(() => remarkIndex(remarks), [remarks])}>{children}</Remarks>
}

/** The mark of a value that was trimmed, scrubbed or repaired; nothing for others. `path` as in the payload. */
export function Mark({ path }: { path: string }) {
  const t = useTranslations('issues.remark')
  const found = useContext(Remarks).get(path)
  const [first] = found ?? []
  if (!found || !first) return null
  const title = found
    .map(
      (item) =>
        `${t(item.kind)}: ${item.rule}${item.lengthWas === null ? '' : ` (${t('was', { count: item.lengthWas })})`}`,
    )
    .join('\n')
  return (
    <span className={`remark remark-${first.kind}`} title={title}>
      {t(first.kind)}
    </span>
  )
}

/** A value of the payload as text: strings as they are, everything else as JSON on one line. */
export function valueText(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === undefined) return ''
  return JSON.stringify(value) ?? ''
}

export type Fact = { name: string; value: unknown; path?: string; node?: ReactNode }

/** Names and values in two columns; long values wrap, and are clamped at 4,000 characters. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className="facts">
      {facts.map(({ name, value, path, node }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a header may stand twice
        <div key={`${index}:${name}`}>
          <dt>
            <PlainText text={name} charactersMax={200} />
          </dt>
          <dd>
            {node ?? <PlainText text={valueText(value)} charactersMax={4000} />}
            {path ? <Mark path={path} /> : null}
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** A part of the page under a heading. */
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

/** One choice of a few that are always in sight. */
export function Segments<T extends string>({
  label,
  value,
  choices,
  onChange,
}: {
  label: string
  value: T
  choices: readonly { value: T; label: string }[]
  onChange: (value: T) => void
}) {
  return (
    <div className="segments" role="radiogroup" aria-label={label}>
      {choices.map((choice) => (
        // biome-ignore lint/a11y/useSemanticElements: the same look with native radios needs a label for each, and arrow keys are the page's
        <button
          key={choice.value}
          type="button"
          role="radio"
          aria-checked={choice.value === value}
          onClick={() => onChange(choice.value)}
        >
          {choice.label}
        </button>
      ))}
    </div>
  )
}
