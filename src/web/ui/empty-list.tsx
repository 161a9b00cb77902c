import { useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import { buttonClass } from './forms/controls.tsx'
import { Link } from './link.tsx'
import { PlainText } from './plain-text.tsx'
import { EmptyState } from './states.tsx'

/** Shown in an organization without projects: how to create a project. */
export function NoProject({ organization }: { organization: string }) {
  const t = useTranslations('issues.noProject')
  return (
    <EmptyState title={t('title')}>
      <p>{t('todo')}</p>
      <Link className={buttonClass({ look: 'main' }, 'mt-4')} href={`/o/${organization}/projects/new`}>
        {t('action')}
      </Link>
    </EmptyState>
  )
}

/** Search, project and environment of a list that found nothing, each removable. `to` is the list with a change. */
export function RemovableScope({
  params,
  to,
}: {
  params: { q: string; project: string; env: string }
  to: (change: { q?: null; project?: null; env?: null }) => string
}) {
  const t = useTranslations('issues.filters')
  return (
    <>
      {params.q ? <RemovableFilter text={params.q} href={to({ q: null })} /> : null}
      {params.project ? (
        <RemovableFilter label={`${t('project')}:`} text={params.project} href={to({ project: null })} />
      ) : null}
      {params.env ? (
        <RemovableFilter label={`${t('environment')}:`} text={params.env} href={to({ env: null })} />
      ) : null}
    </>
  )
}

/** A filter of a list that found nothing. `href` is the list without it. */
export function RemovableFilter({ label, text, href }: { label?: ReactNode; text: string; href: string }) {
  return (
    <Link className={buttonClass({ compact: true })} href={href}>
      {label}{' '}
      <code>
        <PlainText text={text} charactersMax={60} />
      </code>{' '}
      ×
    </Link>
  )
}
