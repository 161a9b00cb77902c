'use client'
import { useQuery } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { useLocale, useTranslations } from 'next-intl'
import { useState } from 'react'
import { withBase } from '../../base-path.ts'
import { ApiError, apiFetch } from '../../client/api.ts'
import { patientImport } from '../../client/connection.ts'
import { Button } from '../../ui/forms/controls.tsx'
import { Section } from '../../ui/panel-section.tsx'
import { bytesText } from '../../ui/relative.ts'
import { Segments } from '../../ui/segments.tsx'
import { ErrorState } from '../../ui/states.tsx'

const JsonTree = dynamic(
  patientImport(() => import('./json-tree.tsx').then((module) => module.JsonTree)),
  { ssr: false },
)

/** The event's JSON as stored or as received (after scrubbing). Loaded on demand. */
export function Payload({
  organization,
  issueId,
  eventId,
  bytes,
}: {
  organization: string
  issueId: string
  eventId: string
  /** Size of the JSON as received. */
  bytes: number
}) {
  const t = useTranslations('issues.json')
  const locale = useLocale()
  const [open, setOpen] = useState(false)
  const [form, setForm] = useState<'stored' | 'received'>('stored')
  const path = `organizations/${organization}/issues/${issueId}/events/${eventId}/json/`
  const { data, error, isPending } = useQuery({
    queryKey: ['payload', path, form],
    queryFn: ({ signal }) => apiFetch<unknown>(path, { query: { form }, signal }),
    enabled: open,
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: undefined,
    retry: false,
  })
  return (
    <Section
      id="json"
      title={t('title')}
      aside={
        <>
          {open ? (
            <Segments
              label={t('form')}
              value={form}
              onChange={setForm}
              choices={[
                { value: 'stored', label: t('stored') },
                { value: 'received', label: t('received') },
              ]}
            />
          ) : null}
          <a className="link" href={withBase(`/api/0/${path}?form=${form}`)}>
            {t('raw')}
          </a>
        </>
      }
    >
      {open ? null : (
        <Button compact onClick={() => setOpen(true)}>
          {t('show', { size: bytesText(bytes, locale) })}
        </Button>
      )}
      {open && error ? (
        <ErrorState title={error.message} code={error instanceof ApiError ? error.code : undefined} />
      ) : null}
      {open && !error && !isPending ? <JsonTree key={form} value={data} openDepth={1} /> : null}
    </Section>
  )
}
