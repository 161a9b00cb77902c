'use client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import type { RestDeadItem } from '../../../../../contract/dead-letters.ts'
import { ApiError, apiFetch } from '../../../../client/api.ts'
import { Button } from '../../../../ui/controls.tsx'
import { PlainText } from '../../../../ui/plain-text.tsx'
import { bytesText } from '../../../../ui/relative.ts'
import { ScrollBox } from '../../../../ui/scroll-box.tsx'
import { Section, TableHead } from '../../../../ui/section.tsx'
import { RelativeTime } from '../../../../ui/time.tsx'
import { useToast } from '../../../../ui/toast.tsx'

const LookDialog = dynamic(() => import('./dead-dialogs.tsx').then((module) => module.LookDialog), { ssr: false })
const DeleteDialog = dynamic(() => import('./dead-dialogs.tsx').then((module) => module.DeleteDialog), { ssr: false })

const pollMs = 5000

type Opened = { what: 'look' | 'delete'; item: RestDeadItem }

function Rows({
  items,
  mayHandle,
  open,
  again,
}: {
  items: readonly RestDeadItem[]
  mayHandle: boolean
  open: (opened: Opened) => void
  again: (item: RestDeadItem) => void
}) {
  const t = useTranslations('operation.dead')
  return items.map((item) => (
    <tr key={item.id} data-dead={item.id}>
      <td className="whitespace-nowrap">
        <RelativeTime at={item.receivedAt} />
      </td>
      <td>{item.project.slug || item.project.id}</td>
      <td className="break-words">
        <PlainText text={item.reason} charactersMax={300} />
      </td>
      <td className="number whitespace-nowrap">{bytesText(item.bytes)}</td>
      {mayHandle ? (
        <td>
          <span className="flex flex-wrap justify-end gap-2">
            <Button compact onClick={() => open({ what: 'look', item })}>
              {t('look')}
            </Button>
            <Button compact onClick={() => again(item)}>
              {t('again')}
            </Button>
            <Button compact look="danger" onClick={() => open({ what: 'delete', item })}>
              {t('delete')}
            </Button>
          </span>
        </td>
      ) : null}
    </tr>
  ))
}

/** The dead letters. Owners and admins can view, replay and delete them. */
export function DeadItems({ organization, mayHandle }: { organization: string; mayHandle: boolean }) {
  const t = useTranslations('operation.dead')
  const toast = useToast()
  const client = useQueryClient()
  const [opened, setOpened] = useState<Opened | undefined>(undefined)
  const path = `organizations/${encodeURIComponent(organization)}/dead-items/`
  const { data } = useQuery({
    queryKey: ['dead', path],
    queryFn: ({ signal }) => apiFetch<RestDeadItem[]>(path, { signal }),
    refetchInterval: pollMs,
  })
  async function change(item: RestDeadItem, method: 'POST' | 'DELETE') {
    setOpened(undefined)
    try {
      await apiFetch(`${path}${item.id}/${method === 'POST' ? 'again/' : ''}`, { method })
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
              <Rows items={data} mayHandle={mayHandle} open={setOpened} again={(item) => void change(item, 'POST')} />
            </tbody>
          </table>
        </ScrollBox>
      ) : null}
      {opened?.what === 'look' ? (
        <LookDialog path={path} item={opened.item} onClose={() => setOpened(undefined)} />
      ) : null}
      {opened?.what === 'delete' ? (
        <DeleteDialog
          item={opened.item}
          onDelete={() => void change(opened.item, 'DELETE')}
          onClose={() => setOpened(undefined)}
        />
      ) : null}
    </Section>
  )
}
