import type { ReactNode } from 'react'

type FactProps = {
  label: string
  value: ReactNode
  /** What changed or what the value is of, always with a sign if it is a change. */
  change?: ReactNode
  /** Worse takes the colour of errors, better that of ok. */
  tone?: 'worse' | 'better'
  /** The reason on hover, for example why the value is missing. */
  title?: string
}

/** One fact of a strip: label, value and change. */
export function Fact({ label, value, change, tone, title }: FactProps) {
  return (
    <div className="fact" title={title}>
      <dt>{label}</dt>
      <dd>
        <span className="fact-value">{value}</span>
        {change === undefined ? null : (
          <span className="fact-change" data-tone={tone}>
            {change}
          </span>
        )}
      </dd>
    </div>
  )
}

/** A strip of at most seven facts, separated by hairlines. It replaces cards. */
export function Facts({ children }: { children: ReactNode }) {
  return <dl className="facts">{children}</dl>
}
