'use client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { useLocale, useTranslations } from 'next-intl'
import { useState } from 'react'
import type { RestDeadLetter } from '../../../../../../contract/dead-letters.ts'
import { ApiError, apiFetch } from '../../../../../client/api.ts'
import { patientImport } from '../../../../../client/connection.ts'
import { Button } from '../../../../../ui/forms/controls.tsx'
import { PlainText } from '../../../../../ui/plain-text.tsx'
import { bytesText } from '../../../../../ui/relative.ts'
import { ScrollBox } from '../../../../../ui/scroll-box.tsx'
import { Section, TableHead } from '../../../../../ui/section.tsx'
import { Time } from '../../../../../ui/time.tsx'
import { useToast } from '../../../../../ui/toast.tsx'

const PreviewDialog = dynamic(
  patientImport(() => import('./dead-dialogs.tsx').then((module) => module.PreviewDialog)),
  { ssr: false },
)
const DeleteDialog = dynamic(
  patientImport(() => import('./dead-dialogs.tsx').then((module) => module.DeleteDialog)),
  { ssr: false },
)

const pollMs = 5000

type Opened = { what: 'look' | 'delete'; letter: RestDeadLetter }

function Rows({
  items,
  mayHandle,
  open,
  replay,
}: {
  items: readonly RestDeadLetter[]
  mayHandle: boolean
  open: (opened: Opened) => void
  replay: (letter: RestDeadLetter) => void
}) {
  const t = useTranslations('operation.dead')
  const locale = useLocale()
  return items.map((letter) => (
    <tr key={letter.id} data-dead={letter.id}>
      <td className="whitespace-nowrap">
        <Time at={letter.receivedAt} />
      </td>
      <td>{letter.project.slug || letter.project.id}</td>
      <td className="break-words">
        <PlainText text={letter.reason} charactersMax={300} />
      </td>
      <td className="number whitespace-nowrap">{bytesText(letter.bytes, locale)}</td>
      {mayHandle ? (
        <td>
          <span className="flex flex-wrap justify-end gap-2">
            <Button compact onClick={() => open({ what: 'look', letter })}>
              {t('look')}
            </Button>
            <Button compact onClick={() => replay(letter)}>
              {t('again')}
            </Button>
            <Button compact look="danger" onClick={() => open({ what: 'delete', letter })}>
              {t('delete')}
            </Button>
          </span>
        </td>
      ) : null}
    </tr>
  ))
}

/** The dead letters. Owners and admins can view, replay and delete them. */
export function DeadLetters({ organization, mayHandle }: { organization: string; mayHandle: boolean }) {
  const t = useTranslations('operation.dead')
  const toast = useToast()
  const client = useQueryClient()
  const [opened, setOpened] = useState<Opened | undefined>(undefined)
  const path = `organizations/${encodeURIComponent(organization)}/dead-items/`
  const { data } = useQuery({
    queryKey: ['dead', path],
    queryFn: ({ signal }) => apiFetch<RestDeadLetter[]>(path, { signal }),
    refetchInterval: pollMs,
  })
  async function change(letter: RestDeadLetter, method: 'POST' | 'DELETE') {
    setOpened(undefined)
    try {
      await apiFetch(`${path}${letter.id}/${method === 'POST' ? 'again/' : ''}`, { method })
      toast({ kind: 'ok', text: t(method === 'POST' ? 'sent' : 'deleted') })
    } catch (error) {
      toast({
        kind: 'error',
        text: error instanceof ApiError && error.code !== 'NETWORK' ? error.message : t('failed'),
      })
    }
    await client.invalidateQueries({ queryKey: ['dead', path] })
  }
  const columns = [
    { text: t('received') },
    { text: t('project') },
    { text: t('reason') },
    { text: t('bytes'), number: true },
    ...(mayHandle ? [{ text: t('actions'), number: true }] : []),
  ]
  return (
    <Section title={t('title')} note={t('note')}>
      {data?.length === 0 ? <p className="text-ink-2">{t('none')}</p> : null}
      {data && data.length > 0 ? (
        <ScrollBox label={t('title')}>
          <table className="table">
            <TableHead columns={columns} />
            <tbody>
              <Rows
                items={data}
                mayHandle={mayHandle}
                open={setOpened}
                replay={(letter) => void change(letter, 'POST')}
              />
            </tbody>
          </table>
        </ScrollBox>
      ) : null}
      {opened?.what === 'look' ? (
        <PreviewDialog path={path} letter={opened.letter} onClose={() => setOpened(undefined)} />
      ) : null}
      {opened?.what === 'delete' ? (
        <DeleteDialog
          letter={opened.letter}
          onDelete={() => void change(opened.letter, 'DELETE')}
          onClose={() => setOpened(undefined)}
        />
      ) : null}
    </Section>
  )
}
