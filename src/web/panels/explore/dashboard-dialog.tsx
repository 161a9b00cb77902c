'use client'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useTranslations } from 'next-intl'
import { type FormEvent, useState } from 'react'
import { apiFetch } from '../../client/api.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Button, Field, Input, Select } from '../../ui/forms/controls.tsx'
import { Link } from '../../ui/link.tsx'
import { QueryFailed } from '../../ui/states.tsx'
import type { ExploreParams } from './params.ts'

type Summary = { id: string; title: string; isEditable: boolean }
type Board = { widgets: unknown[]; revision: number; title: string }

/** Puts the query of the page on a dashboard, as a new tile in the first free place. */
export function DashboardDialog({
  organization,
  params,
  onClose,
}: {
  organization: string
  params: ExploreParams
  onClose: () => void
}) {
  const t = useTranslations('explore.dashboard')
  const path = `organizations/${organization}/dashboards/`
  const [added, setAdded] = useState<{ id: string; title: string }>()
  const { data, error: listError } = useQuery({
    queryKey: ['dashboards', organization],
    queryFn: ({ signal }) => apiFetch<Summary[]>(path, { signal }),
    retry: false,
  })
  const { mutate, error, isPending } = useMutation({
    mutationFn: async ({ id, title }: { id: string; title: string }) => {
      const tile = { title, displayType: params.kind, plan: params.plan }
      if (id === '') return apiFetch<Summary>(path, { method: 'POST', body: { title, widgets: [tile] } })
      const board = await apiFetch<Board>(`${path}${id}/`)
      const widgets = [...board.widgets, tile]
      return apiFetch<Summary>(`${path}${id}/`, { method: 'PUT', body: { widgets, revision: board.revision } })
    },
    onSuccess: ({ id, title }) => setAdded({ id, title }),
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    mutate({ id: String(form.get('dashboard') ?? ''), title: String(form.get('title') ?? '') })
  }
  return (
    <Dialog title={t('title')} onClose={onClose}>
      {listError ? <QueryFailed error={listError} /> : null}
      {added ? (
        <p role="status">
          {t('added')}{' '}
          <Link className="link" href={`/o/${organization}/dashboards/${added.id}`}>
            {added.title}
          </Link>
        </p>
      ) : (
        <form className="flex flex-col gap-3" onSubmit={submit}>
          <Field id="tile-title" label={t('tile')}>
            <Input id="tile-title" name="title" required maxLength={255} autoComplete="off" />
          </Field>
          <Field id="tile-dashboard" label={t('dashboard')}>
            <Select id="tile-dashboard" name="dashboard">
              <option value="">{t('new')}</option>
              {(data ?? [])
                .filter(({ isEditable }) => isEditable)
                .map(({ id, title }) => (
                  <option key={id} value={id}>
                    {title}
                  </option>
                ))}
            </Select>
          </Field>
          {error ? <QueryFailed error={error} /> : null}
          <Button type="submit" look="main" disabled={isPending}>
            {t('add')}
          </Button>
        </form>
      )}
    </Dialog>
  )
}
