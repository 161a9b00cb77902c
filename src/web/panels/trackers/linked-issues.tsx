'use client'
import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import type { RestExternalIssue } from '../../../contract/alerts/trackers.ts'
import { apiFetch } from '../../client/api.ts'
import { patientImport } from '../../client/connection.ts'
import { safeHref } from '../../text.ts'
import { useErrorText } from '../../ui/error-text.ts'
import { Button } from '../../ui/forms/controls.tsx'
import { Section } from '../../ui/panel-section.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { SeverityShape } from '../../ui/severity.tsx'
import { useAge } from '../../ui/time.tsx'
import { useToast } from '../../ui/toast.tsx'
import type { ShownTracker } from './link-dialog.tsx'

const LinkDialog = dynamic(
  patientImport(() => import('./link-dialog.tsx').then((module) => module.LinkDialog)),
  { ssr: false },
)

/** Why the tracker issue is not up to date. */
function Problem({ link }: { link: RestExternalIssue }) {
  const t = useTranslations('integrations.panel')
  const age = useAge()
  if (link.refusedSince !== null)
    return (
      <p role="alert" className="text-small text-error">
        {t('refused', { age: age(Date.parse(link.refusedSince)) })}{' '}
        <PlainText
          text={link.reconnect === null ? t('reconnectAny') : t('reconnect', { name: link.reconnect })}
          charactersMax={200}
        />
      </p>
    )
  if (link.error === '') return null
  return (
    <p className="text-small text-warning wrap-anywhere">
      <PlainText text={t('failed', { error: link.error })} charactersMax={400} />
    </p>
  )
}

function LinkRow({ link, canTriage, unlink }: { link: RestExternalIssue; canTriage: boolean; unlink: () => void }) {
  const t = useTranslations('integrations.panel')
  const href = safeHref(link.webUrl)
  const isOpen = link.state === 'open'
  return (
    <li className="py-1" data-external={link.id} data-state={link.state}>
      <div className="flex items-baseline gap-2">
        <SeverityShape level={isOpen ? 'info' : 'ok'} label={isOpen ? t('open') : t('closed')} sizePx={9} />
        <span className="min-w-0 flex-1 wrap-anywhere">
          {link.displayName === '' ? (
            <span className="text-ink-3">{t('creating')}</span>
          ) : href?.startsWith('http') ? (
            <a className="link" href={href} rel="noreferrer noopener nofollow" target="_blank">
              <PlainText text={link.displayName} charactersMax={200} />
            </a>
          ) : (
            <PlainText text={link.displayName} charactersMax={200} />
          )}{' '}
          <PlainText text={link.title} charactersMax={120} />{' '}
          <span className="text-ink-3">
            {isOpen ? t('open') : t('closed')}
            {link.isFromRule ? `, ${t('fromRule')}` : ''}
          </span>
        </span>
        {canTriage ? (
          <Button
            compact
            icon
            look="plain"
            onClick={unlink}
            aria-label={t('unlink', { name: link.displayName || link.serviceType })}
          >
            <X size={15} strokeWidth={1.75} aria-hidden="true" />
          </Button>
        ) : null}
      </div>
      <Problem link={link} />
    </li>
  )
}

/** Tracker issues that are linked with the issue, and a button to create or link an issue. */
export function LinkedIssues({
  organization,
  issueId,
  canTriage,
  trackers,
  links: preloaded,
}: {
  organization: string
  issueId: string
  canTriage: boolean
  trackers: readonly ShownTracker[]
  links: RestExternalIssue[]
}) {
  const t = useTranslations('integrations.panel')
  const errorText = useErrorText()
  const toast = useToast()
  const [isAsking, setIsAsking] = useState(false)
  const path = `organizations/${organization}/issues/${issueId}/external-issues/`
  const links = useQuery({
    queryKey: ['external-issues', organization, issueId],
    queryFn: ({ signal }) => apiFetch<RestExternalIssue[]>(path, { signal }),
    initialData: preloaded,
    staleTime: 5_000,
  })
  const changed = () => void links.refetch()
  const unlink = (id: string) =>
    apiFetch(`${path}${id}/`, { method: 'DELETE' })
      .then(() => toast({ text: t('unlinked') }))
      .catch((error: unknown) => toast({ text: errorText(error) }))
      .finally(changed)
  const add =
    canTriage && trackers.length > 0 ? (
      <Button compact onClick={() => setIsAsking(true)}>
        {t('add')}
      </Button>
    ) : null
  return (
    <Section id="linked-issues" title={t('title')} aside={add}>
      {links.data.length === 0 ? <p className="part-note">{t('none')}</p> : null}
      <ul className="plain-list">
        {links.data.map((link) => (
          <LinkRow key={link.id} link={link} canTriage={canTriage} unlink={() => void unlink(link.id)} />
        ))}
      </ul>
      {isAsking ? (
        <LinkDialog
          path={path}
          trackers={trackers}
          onClose={() => setIsAsking(false)}
          onDone={(link) => {
            setIsAsking(false)
            toast({ text: t('done', { name: link.displayName }) })
            changed()
          }}
        />
      ) : null}
    </Section>
  )
}
