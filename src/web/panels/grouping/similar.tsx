'use client'
import { useRouter } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import type { RestSimilarIssue } from '../../../contract/grouping.ts'
import { apiFetch } from '../../client/api.ts'
import { Button } from '../../ui/forms/controls.tsx'
import { useKey } from '../../ui/keys/keys.tsx'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { Time } from '../../ui/time.tsx'
import { useToast } from '../../ui/toast.tsx'
import { sentenceOf } from './hashes.tsx'
import '../../styles/issues.css'

type Props = {
  organization: string
  issue: { id: string; shortId: string }
  similar: readonly RestSimilarIssue[]
  canTriage: boolean
}

const percent = (value: number) => `${Math.round(value * 100)} %`

/** Similar issues. `m` merges the most similar issue, or the issue whose row has the focus. */
export function Similar({ organization, issue, similar, canTriage }: Props) {
  const t = useTranslations('grouping')
  const router = useRouter()
  const toast = useToast()
  const [merging, setMerging] = useState<Props['similar'] | undefined>()
  // Busy until the next list arrives, because this one still contains the merged issue.
  const busy = merging === similar
  const [wrong, setWrong] = useState('')
  async function merge(other: RestSimilarIssue['issue']) {
    if (busy) return
    setMerging(similar)
    setWrong('')
    try {
      const { merge: merged } = await apiFetch<{ merge: { parent: string } }>(`organizations/${organization}/issues/`, {
        method: 'PUT',
        query: { id: [issue.id, other.id] },
        body: { merge: 1 },
      })
      const [into, mergedIssue] = merged.parent === issue.id ? [issue, other] : [other, issue]
      toast({ text: t('merged', { issue: mergedIssue.shortId, into: into.shortId }), kind: 'ok' })
      if (into === issue) router.refresh()
      else router.replace(`/o/${organization}/issues/${into.shortId}/grouping`)
    } catch (error) {
      setWrong(sentenceOf(error))
      setMerging(undefined)
    }
  }
  useKey(
    'm',
    t('title'),
    t('mergeHelp'),
    () => {
      const focused = document.activeElement?.closest('[data-similar]')?.getAttribute('data-similar')
      const other = similar.find((candidate) => candidate.issue.id === focused) ?? similar[0]
      if (other) void merge(other.issue)
    },
    canTriage && similar.length > 0,
  )
  if (similar.length === 0) return <p className="text-ink-2">{t('similarNone')}</p>
  return (
    <>
      <p className="mb-2 max-w-[72ch] text-ink-2">{t('similarIntro')}</p>
      <ul className="plain-list border-t border-line">
        {similar.map(({ issue: other, score, stack, message }) => (
          <li
            key={other.id}
            data-similar={other.id}
            className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line"
          >
            <span className="min-w-0 grow basis-[280px]">
              <Link className="link" href={`/o/${organization}/issues/${other.shortId}`}>
                <code>{other.shortId}</code> <PlainText text={other.title} charactersMax={160} />
              </Link>
              <span className="block text-small text-ink-3">
                <PlainText text={other.culprit} charactersMax={120} /> · {other.count} · <Time at={other.lastSeen} />
              </span>
            </span>
            <span className="text-small whitespace-nowrap text-ink-2">
              {t('score')} <b>{percent(score)}</b> · {t('stack')} {percent(stack)} · {t('message')} {percent(message)}
            </span>
            {canTriage ? (
              <Button
                compact
                disabled={busy}
                aria-label={t('mergeNamed', { issue: other.shortId })}
                onClick={() => void merge(other)}
              >
                {t('merge')}
              </Button>
            ) : null}
          </li>
        ))}
      </ul>
      {wrong ? (
        <p role="alert" className="mt-2 text-error">
          {wrong}
        </p>
      ) : null}
    </>
  )
}
