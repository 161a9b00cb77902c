'use client'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import type { RestLogDetail, RestLogsAround } from '../../../contract/explore/logs.ts'
import { type AroundBy, aroundBy } from '../../../domain/log-around.ts'
import { apiFetch } from '../../client/api.ts'
import { PlainText } from '../../ui/plain-text.tsx'
import { Segments } from '../../ui/segments.tsx'
import { LogRow, type ProjectOf } from './log-row.tsx'

/** The values that a line has of each way to look around it. */
const waysOf = ({ trace, fields }: RestLogDetail): AroundBy[] =>
  aroundBy.filter((by) => (by === 'trace' ? trace !== '' : fields.some(({ name }) => name === by)))

/** Ten lines before and after a line, of the same trace, service or host. */
export function Around({
  organization,
  line,
  projectOf,
  open,
}: {
  organization: string
  line: RestLogDetail
  projectOf: ProjectOf
  open: (id: string) => void
}) {
  const t = useTranslations('logs.around')
  const ways = waysOf(line)
  const [by, setBy] = useState(ways[0])
  const { data, isError } = useQuery<RestLogsAround>({
    queryKey: ['logs-around', organization, line.id, by],
    queryFn: ({ signal }) =>
      apiFetch<RestLogsAround>(`organizations/${organization}/logs/${line.id}/around/`, { query: { by }, signal }),
    enabled: by !== undefined,
    staleTime: 60_000,
    retry: false,
  })
  if (by === undefined) return <p className="log-note">{t('nothing')}</p>
  return (
    <section className="log-around" aria-label={t('title')}>
      <div className="log-around-head">
        <Segments
          label={t('by')}
          value={by}
          choices={ways.map((way) => ({ value: way, label: t(way) }))}
          onChange={setBy}
        />
        {data ? (
          <code>
            <PlainText text={data.value} charactersMax={80} />
          </code>
        ) : null}
      </div>
      {isError ? <p className="log-note">{t('failed')}</p> : null}
      {data?.lines.map((other) => (
        // biome-ignore lint/a11y/noStaticElementInteractions: the button within the row takes the keys
        // biome-ignore lint/a11y/useKeyWithClickEvents: the button within the row takes the keys
        <div key={other.id} className="log-around-row" onClick={() => other.id !== line.id && open(other.id)}>
          <LogRow line={other} isOpen={other.id === line.id} isCursor={false} withDay={false} projectOf={projectOf} />
        </div>
      ))}
    </section>
  )
}
