'use client'
import { useTranslations } from 'next-intl'
import { useEffect, useState } from 'react'
import { systemClock } from '../../base/clock.ts'
import { ApiError } from '../client/api.ts'
import { Button } from './forms/controls.tsx'
import { ErrorState } from './states.tsx'

/** A skeleton of rows. Empty for the first 150 ms, so that a fast response does not flicker. */
export function ListLoading() {
  const t = useTranslations('common')
  const [late, setLate] = useState(false)
  useEffect(() => systemClock.after(150, () => setLate(true)), [])
  if (!late) return <div className="stream-blank" />
  return (
    <div className="stream-blank" role="status" aria-label={t('loading')}>
      {[62, 48, 71, 55, 66, 43, 58, 69].map((percent) => (
        <div key={percent} className="issue-skeleton">
          <span style={{ width: `${percent * 0.6}%` }} />
          <span style={{ width: `${percent * 0.35}%` }} />
        </div>
      ))}
    </div>
  )
}

/**
 * A skeleton of one part of a page, as high as the part usually is, so that what follows does not jump. `label` says what is
 * loading. Its blocks are empty for the first 150 ms.
 */
export function PartLoading({ label, shape }: { label: string; shape: 'chart' | 'text' }) {
  return (
    <div className="part-loading" data-shape={shape} role="status">
      <span className="visually-hidden">{label}</span>
      <span aria-hidden="true" />
      <span aria-hidden="true" />
      <span aria-hidden="true" />
    </div>
  )
}

/** Shows why a list cannot be loaded. Rows on screen stay. `retrying`: an automatic retry is running. */
export function ListFailed({ error, retrying, retry }: { error: Error; retrying?: boolean; retry?: () => void }) {
  const t = useTranslations('issues.failed')
  const common = useTranslations('common')
  const code = error instanceof ApiError ? error.code : 'INTERNAL'
  if (retrying) {
    return (
      <div className="stream-away" role="status">
        {code === 'STORE_UNAVAILABLE' ? t('away') : code === 'NETWORK' ? t('network') : error.message} {t('again')}
      </div>
    )
  }
  // Only a project in the URL can be missing.
  const isGone = code === 'NOT_FOUND'
  const causes = error instanceof ApiError ? error.causes.join(' ') : undefined
  return (
    <ErrorState title={isGone ? t('project') : error.message} todo={isGone ? t('projectTodo') : causes} code={code}>
      {retry ? <Button onClick={retry}>{common('retry')}</Button> : null}
    </ErrorState>
  )
}
