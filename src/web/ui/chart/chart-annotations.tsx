'use client'
import '../../styles/releases.css'
import { useRouter } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { type KeyboardEvent, useRef, useState } from 'react'
import { withBase } from '../../base-path.ts'
import { releasePath } from '../../client/release-path.ts'
import { PlainText } from '../plain-text.tsx'
import { useTimeText } from '../time.tsx'
import type { AnnotationGroup } from './annotations.ts'

/** Maximum versions to name per line; the others are a number. */
const namedMax = 3

const steps: Record<string, (at: number, last: number) => number> = {
  ArrowLeft: (at) => at - 1,
  ArrowRight: (at) => at + 1,
  Home: () => 0,
  End: (_at, last) => last,
}

/** Describes a line: visible on hover and focus, and the name for screen readers. */
function AnnotationText({ group }: { group: AnnotationGroup }) {
  const t = useTranslations('releases.marks')
  const { text, zone } = useTimeText()
  const { versions, environments } = group
  const newest = versions.toReversed().slice(0, namedMax)
  return (
    <span
      className="chart-mark-words"
      data-side={group.place < 0.34 ? 'left' : group.place > 0.66 ? 'right' : undefined}
    >
      {versions.length > 1 ? <b>{t('many', { count: versions.length })} </b> : null}
      {newest.map((version) => (
        <code key={version}>
          <PlainText text={version} charactersMax={80} />{' '}
        </code>
      ))}
      {versions.length > namedMax ? <span>{t('more', { count: versions.length - namedMax })} </span> : null}
      {environments.length > 0 ? (
        <span>
          {t('deployed')} <PlainText text={environments.slice(0, 5).join(', ')} charactersMax={120} />{' '}
        </span>
      ) : null}
      <span>
        {text(group.fromMs, 'minute')}
        {versions.length > 1 ? ` – ${text(group.toMs, 'minute')}` : ''}, {zone}
      </span>
    </span>
  )
}

/**
 * Lines of releases and deploys on a chart (its nearest positioned parent). They are one tab stop; arrow keys move
 * between them. Each line links to its release, a group to its newest release.
 */
export function ChartAnnotations({
  organization,
  groups,
}: {
  organization: string
  groups: readonly AnnotationGroup[]
}) {
  const t = useTranslations('releases.marks')
  const router = useRouter()
  const list = useRef<HTMLUListElement>(null)
  const last = groups.length - 1
  const [chosen, choose] = useState<number | null>(null)
  const focusedIndex = chosen === null ? last : Math.min(chosen, last)
  if (last < 0) return null

  function step(event: KeyboardEvent<HTMLUListElement>): void {
    const next = steps[event.key]?.(focusedIndex, last)
    if (next === undefined || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    const to = Math.max(0, Math.min(last, next))
    choose(to)
    list.current?.querySelectorAll('a')[to]?.focus()
  }
  return (
    <ul ref={list} className="chart-marks" aria-label={t('label')} onKeyDown={step}>
      {groups.map((group, index) => {
        const path = releasePath(organization, group.versions.at(-1) ?? '')
        return (
          <li key={group.fromMs} style={{ left: `${Math.round(group.place * 10_000) / 100}%` }}>
            <a
              className="chart-mark"
              href={withBase(path)}
              tabIndex={index === focusedIndex ? 0 : -1}
              data-deploy={group.environments.length > 0 || undefined}
              data-many={group.versions.length > 1 || undefined}
              onFocus={() => choose(index)}
              onClick={(event) => {
                if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
                event.preventDefault()
                router.push(path)
              }}
            >
              <AnnotationText group={group} />
            </a>
          </li>
        )
      })}
    </ul>
  )
}
