'use client'
import { useRouter } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import type { RestIssueHash, RestUnmerge } from '../../../contract/grouping.ts'
import { ApiError, apiFetch } from '../../client/api.ts'
import { Button } from '../../ui/forms/controls.tsx'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import { Time } from '../../ui/time.tsx'
import { useToast } from '../../ui/toast.tsx'

/** The message of an error, with the steps that solve it. */
export const sentenceOf = (error: unknown): string =>
  error instanceof ApiError ? [error.message, ...error.causes].join(' ') : String(error)

type Props = { organization: string; issueId: string; hashes: readonly RestIssueHash[]; canTriage: boolean }

function Rows({
  hashes,
  base,
  canTriage,
  chosen,
  toggle,
}: {
  hashes: readonly RestIssueHash[]
  base: string
  canTriage: boolean
  chosen: ReadonlySet<string>
  toggle: (id: string) => void
}) {
  const t = useTranslations('grouping')
  return (
    <ScrollBox label={t('hashes')}>
      <table className="table">
        <thead>
          <tr>
            <th scope="col">{t('hash')}</th>
            <th scope="col" className="number">
              {t('events')}
            </th>
            <th scope="col">{t('lastSeen')}</th>
            <th scope="col">{t('latest')}</th>
          </tr>
        </thead>
        <tbody>
          {hashes.map((hash) => (
            <tr key={hash.id}>
              <td className="whitespace-nowrap">
                <label className="flex items-center gap-2">
                  <input
                    type="checkbox"
                    className="checkbox"
                    aria-label={t('choose', { hash: hash.id })}
                    disabled={!canTriage || hashes.length < 2}
                    checked={chosen.has(hash.id)}
                    onChange={() => toggle(hash.id)}
                  />
                  <code>{hash.id}</code>
                </label>
                {hash.mergedFrom ? (
                  <span className="text-small text-ink-3">{t('from', { issue: hash.mergedFrom })}</span>
                ) : null}
              </td>
              <td className="number">{hash.events}</td>
              <td className="whitespace-nowrap">{hash.lastSeen ? <Time at={hash.lastSeen} /> : '–'}</td>
              <td className="min-w-[120px] [overflow-wrap:anywhere]">
                {hash.latestEvent ? (
                  <Link className="link" href={`${base}/events/${hash.latestEvent.eventID}`}>
                    <PlainText text={hash.latestEvent.title} charactersMax={120} />
                  </Link>
                ) : (
                  <span className="text-ink-3">{t('none')}</span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  )
}

/** The hashes of an issue, with a form to unmerge some of them. */
export function Hashes({ organization, issueId, hashes, canTriage }: Props) {
  const t = useTranslations('grouping')
  const router = useRouter()
  const toast = useToast()
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [busy, setBusy] = useState(false)
  const [wrong, setWrong] = useState('')
  const path = `organizations/${organization}/issues/${issueId}/hashes/`
  async function unmerge() {
    setBusy(true)
    setWrong('')
    try {
      const { made: created, events } = await apiFetch<RestUnmerge>(path, {
        method: 'DELETE',
        query: { id: [...chosen] },
      })
      toast({ text: created ? t('unmerged', { count: events, issue: created.shortId }) : t('detached'), kind: 'ok' })
      setChosen(new Set())
      router.refresh()
    } catch (error) {
      setWrong(sentenceOf(error))
    }
    setBusy(false)
  }
  const toggle = (id: string) => {
    const next = new Set(chosen)
    if (!next.delete(id)) next.add(id)
    setChosen(next)
  }
  const isAll = chosen.size >= hashes.length && chosen.size > 0
  return (
    <>
      <p className="mb-2 max-w-[72ch] text-ink-2">{canTriage ? t('hashesIntro') : t('notAllowed')}</p>
      <Rows
        hashes={hashes}
        base={`/o/${organization}/issues/${issueId}`}
        canTriage={canTriage}
        chosen={chosen}
        toggle={toggle}
      />
      {canTriage && hashes.length > 1 ? (
        <p className="mt-2 flex flex-wrap items-center gap-3">
          <Button disabled={busy || chosen.size === 0 || isAll} onClick={() => void unmerge()}>
            {busy ? t('busy') : t('unmerge', { count: chosen.size })}
          </Button>
          {isAll ? <span className="text-ink-2">{t('unmergeAll')}</span> : null}
        </p>
      ) : null}
      {wrong ? (
        <p role="alert" className="mt-2 text-error">
          {wrong}
        </p>
      ) : null}
    </>
  )
}
