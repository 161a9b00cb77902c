'use client'
import { useQuery } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { type FormEvent, useState } from 'react'
import type { RestTracePeers } from '../../../contract/explore/trace-compare.ts'
import { apiFetch } from '../../client/api.ts'
import { Button } from '../../ui/forms/controls.tsx'
import { Link } from '../../ui/link.tsx'
import { Popup } from '../../ui/popup.tsx'
import { QueryFailed } from '../../ui/states.tsx'
import { useCompareWords } from './use-compare-words.ts'

const choices = ['slowest', 'typical', 'previous'] as const

function Peers({ organization, traceId }: { organization: string; traceId: string }) {
  const t = useTranslations('trace.compare')
  const words = useCompareWords()
  const { data, error } = useQuery({
    queryKey: ['trace-peers', organization, traceId],
    queryFn: ({ signal }) =>
      apiFetch<RestTracePeers>(`organizations/${organization}/trace/${traceId}/peers/`, { signal }),
    staleTime: 60_000,
  })
  if (error) return <QueryFailed error={error} />
  if (!data)
    return (
      <p className="tp-dim tc-wait" role="status">
        {t('looking')}
      </p>
    )
  const found = choices.flatMap((name) => (data[name] ? [{ name, peer: data[name] }] : []))
  if (found.length === 0) return <p className="tp-dim tc-wait">{t('noPeers')}</p>
  return (
    <>
      {found.map(({ name, peer }) => (
        <Link key={name} className="menu-row" href={`/o/${organization}/traces/${traceId}?compare=${peer.traceId}`}>
          {t(name)} <code>{peer.traceId.slice(0, 8)}</code> <b>{words.duration(peer.duration)}</b>
        </Link>
      ))}
    </>
  )
}

/** Chooses the trace to compare with: the slowest, a typical or the previous one of the route, or any by its id. */
export function CompareMenu({ organization, traceId }: { organization: string; traceId: string }) {
  const t = useTranslations('trace.compare')
  const router = useRouter()
  const [typed, setTyped] = useState('')
  const other = typed.replaceAll('-', '').trim().toLowerCase()
  const isId = /^[0-9a-f]{32}$/.test(other)
  const go = (event: FormEvent) => {
    event.preventDefault()
    if (isId) router.push(`/o/${organization}/traces/${traceId}?compare=${other}`)
  }
  return (
    <Popup label={t('with')} value={t('title')} isLabelHidden name="compare">
      {() => (
        <div className="tc-menu">
          <Peers organization={organization} traceId={traceId} />
          <form onSubmit={go}>
            <input
              className="input"
              aria-label={t('other')}
              placeholder={t('other')}
              value={typed}
              maxLength={64}
              onChange={(event) => setTyped(event.target.value)}
            />
            <Button compact type="submit" disabled={!isId}>
              {t('go')}
            </Button>
          </form>
        </div>
      )}
    </Popup>
  )
}
