'use client'
import './code.css'
import { type ReactNode, useEffect, useState } from 'react'
import type { Language } from './code/languages.ts'
import { type CharacterRange, markTokens, type Token } from './code/tokens.ts'
import { PlainText } from './plain-text.tsx'

/** Maximum characters to show per line. */
const lineMax = 1000

/** The tokens of the code once the highlighter is loaded; undefined before, and for code that stays plain. */
function useTokens(text: string, language: Language | undefined): Token[][] | undefined {
  const [found, setFound] = useState<{ text: string; lines: Token[][] }>()
  useEffect(() => {
    if (!language) return
    let isCurrent = true
    void import('./code/highlight.ts')
      .then(({ highlight }) => highlight(text, language))
      .then((lines) => {
        if (isCurrent && lines) setFound({ text, lines })
      })
      // Without the highlighter (offline, an older build) the code stays plain.
      .catch(() => undefined)
    return () => {
      isCurrent = false
    }
  }, [text, language])
  return found?.text === text ? found.lines : undefined
}

function Tokens({ tokens }: { tokens: readonly Token[] }) {
  return tokens.map(({ text, kind, isMarked }, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: tokens of a line have no id
    <span key={at} className={kind && `syn-${kind}`} data-marked={isMarked}>
      <PlainText text={text} charactersMax={lineMax} />
    </span>
  ))
}

type CodeProps = {
  text: string
  /** Undefined: no colours. */
  language: Language | undefined
  /** For screen readers: the box scrolls, so it is a region that can have the focus. */
  label: string
  /** The number of each line. Without it there are no numbers. */
  numbers?: readonly number[]
  /** The line that failed: its place in `text` from 0, the failing part of it, and a note to show behind it. */
  failing?: { at: number; range?: CharacterRange | undefined; note?: ReactNode } | undefined
}

/** Source code with line numbers and colours. The document has it plain; colours come after the first paint. */
export function Code({ text, language, label, numbers, failing }: CodeProps) {
  const tokens = useTokens(text, language)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className="code" aria-label={label} tabIndex={0}>
      <div className="code-lines">
        {text.split('\n').map((line, at) => {
          const isFailing = at === failing?.at
          const own = tokens?.[at] ?? [{ text: line.slice(0, lineMax + 1) }]
          const range = isFailing ? failing.range : undefined
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines stay at their place
            <div key={at} className="code-line" data-failing={isFailing || undefined}>
              {numbers ? <span className="code-number">{numbers[at]}</span> : null}
              <code>{line ? <Tokens tokens={range ? markTokens(own, range) : own} /> : ' '}</code>
              {isFailing ? failing.note : null}
            </div>
          )
        })}
      </div>
    </section>
  )
}
