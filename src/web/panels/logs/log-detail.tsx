'use client'
import { useQuery } from '@tanstack/react-query'
import { Filter, Plus, X } from 'lucide-react'
import { useLocale, useTranslations } from 'next-intl'
import { useState } from 'react'
import type { RestLogDetail, RestLogLine } from '../../../contract/explore/logs.ts'
import { apiFetch } from '../../client/api.ts'
import { CopyButton } from '../../ui/copy/copy-button.tsx'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { durationText } from '../../ui/relative.ts'
import { Segments } from '../../ui/segments.tsx'
import { tagHref } from '../search/terms.ts'
import { Around } from './around.tsx'
import type { ProjectOf } from './log-row.tsx'

const nameCharactersMax = 120
const valueCharactersMax = 4000
/** Nodes of a body that are shown as JSON. A body of braces alone has thousands. */
const jsonCharactersMax = 64 * 1024
/** What names a person, after `user.`: the first that a line has is shown. */
const userParts = ['id', 'email', 'username'] as const

/** What a reader does with a value. */
export type FieldActions = {
  narrow: (field: string, value: string, how: 'only' | 'without') => void
  addColumn: (field: string) => void
}

/** `span`: what the value is the id of. */
type Field = { name: string; value: string | number | boolean; isSearchable: boolean; span?: RestLogDetail['spanInfo'] }

/** The fields of a line: its message, what every line can have, then its attributes. */
const fieldsOf = (line: RestLogDetail): Field[] => [
  { name: 'message', value: line.message, isSearchable: false },
  ...(line.template ? [{ name: 'template', value: line.template, isSearchable: true }] : []),
  ...line.attributes.map((attribute) => ({ ...attribute, isSearchable: true })),
  ...line.fields.map((field) => ({ ...field, isSearchable: true })),
  ...(line.trace ? [{ name: 'trace', value: line.trace, isSearchable: true }] : []),
  ...(line.span ? [{ name: 'span_id', value: line.span, isSearchable: true, span: line.spanInfo }] : []),
  { name: 'level', value: line.level, isSearchable: true },
]

/** The body as JSON, if it is JSON; otherwise the line as an object. Parsed text is only ever shown as text. */
function jsonOf(line: RestLogDetail): string {
  const start = line.message.trimStart()[0]
  if ((start === '{' || start === '[') && line.message.length <= jsonCharactersMax) {
    try {
      return JSON.stringify(JSON.parse(line.message), null, 2).slice(0, jsonCharactersMax)
    } catch {
      // Not JSON after all: the line itself is shown.
    }
  }
  const attributes = Object.fromEntries([...line.fields, ...line.attributes].map(({ name, value }) => [name, value]))
  const { timestamp, level, severity, message, template, trace, span } = line
  return JSON.stringify({ timestamp, level, severity, message, template, trace, span, attributes }, null, 2)
}

/** What a span is, and how long it took. */
function SpanWords({ span: { op, name, duration } }: { span: NonNullable<RestLogDetail['spanInfo']> }) {
  const locale = useLocale()
  const words = [op, name === op ? '' : name].filter((word) => word !== '').join(' · ')
  return (
    <span className="log-span">
      <PlainText text={words} charactersMax={nameCharactersMax} />
      {`, ${durationText(duration, locale)}`}
    </span>
  )
}

function FieldRow({ field, actions }: { field: Field; actions: FieldActions }) {
  const t = useTranslations('logs.field')
  const { name, value } = field
  const act = (label: string, Icon: typeof Filter, run: () => void) => (
    <button type="button" className="log-act" aria-label={`${label}: ${name}`} onClick={run}>
      <Icon size={12} strokeWidth={1.75} aria-hidden="true" /> {label}
    </button>
  )
  return (
    <div className="log-field">
      <dt>
        <PlainText text={name} charactersMax={nameCharactersMax} />
      </dt>
      <dd>
        <span className="log-field-value">
          <PlainText text={String(value)} charactersMax={name === 'message' ? 16_500 : valueCharactersMax} />
        </span>
        {field.span ? <SpanWords span={field.span} /> : null}
        {field.isSearchable ? (
          <span className="log-acts">
            {act(t('only'), Filter, () => actions.narrow(name, String(value), 'only'))}
            {act(t('without'), X, () => actions.narrow(name, String(value), 'without'))}
            {act(t('column'), Plus, () => actions.addColumn(name))}
          </span>
        ) : null}
      </dd>
    </div>
  )
}

/** Links to the trace, the issues and the user of a line. */
function Links({ organization, line }: { organization: string; line: RestLogDetail }) {
  const t = useTranslations('logs')
  const locale = useLocale()
  const base = `/o/${organization}`
  const user = userParts.flatMap((part) => line.attributes.filter(({ name }) => name === `user.${part}`))[0]
  return (
    <>
      {line.trace ? (
        <Link className="link" href={`${base}/traces/${line.trace}${line.span ? `?span=${line.span}` : ''}`}>
          {line.traceDuration === null
            ? t('trace', { id: line.trace.slice(0, 8) })
            : t('traceOf', { id: line.trace.slice(0, 8), duration: durationText(line.traceDuration, locale) })}
        </Link>
      ) : null}
      {line.issues.map(({ id, shortId }) => (
        <Link key={id} className="link" href={`${base}/issues/${id}`}>
          {shortId}
        </Link>
      ))}
      {user ? (
        <Link className="link" href={tagHref(`${base}/issues`, '', user.name, String(user.value))}>
          {t('user')}
        </Link>
      ) : null}
    </>
  )
}

/** The open part of a line. */
export function LogDetailPart({
  organization,
  line,
  actions,
  projectOf,
  open,
}: {
  organization: string
  line: RestLogLine
  actions: FieldActions
  projectOf: ProjectOf
  open: (id: string) => void
}) {
  const t = useTranslations('logs')
  const [shape, setShape] = useState<'fields' | 'json'>('fields')
  const [isAround, setAround] = useState(false)
  const { data, isError, isPending } = useQuery<RestLogDetail>({
    queryKey: ['log', organization, line.id],
    queryFn: ({ signal }) => apiFetch<RestLogDetail>(`organizations/${organization}/logs/${line.id}/`, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  return (
    <div className="log-detail" aria-busy={isPending}>
      <div className="log-detail-head">
        <Segments
          label={t('shape')}
          value={shape}
          choices={[
            { value: 'fields', label: t('fields') },
            { value: 'json', label: 'JSON' },
          ]}
          onChange={setShape}
        />
        <span className="log-grow" />
        {data ? <Links organization={organization} line={data} /> : null}
        <button type="button" className="link" aria-expanded={isAround} onClick={() => setAround(!isAround)}>
          {t('around.open')}
        </button>
        {data ? <CopyButton text={() => jsonOf(data)} label={t('copy')} iconOnly /> : null}
      </div>
      {isError ? <p className="log-note">{t('gone')}</p> : null}
      {data?.isTruncated ? <p className="log-note">{t('truncated')}</p> : null}
      {data?.isRepaired ? <p className="log-note">{t('repaired')}</p> : null}
      {data && isAround ? <Around organization={organization} line={data} projectOf={projectOf} open={open} /> : null}
      {data && shape === 'fields' ? (
        <dl className="log-fields">
          {fieldsOf(data).map((field) => (
            <FieldRow key={field.name} field={field} actions={actions} />
          ))}
        </dl>
      ) : null}
      {data && shape === 'json' ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled area needs the focus for the keys of the browser
        <pre className="log-json" tabIndex={0}>
          <PlainText text={jsonOf(data)} charactersMax={jsonCharactersMax} />
        </pre>
      ) : null}
    </div>
  )
}
