'use client'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import type { RestAlertPreview } from '../../../contract/alerts/alerts-preview.ts'
import { apiFetch, isTemporary } from '../../client/api.ts'
import { PartLoading } from '../../ui/list-states.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { Segments } from '../../ui/segments.tsx'
import { QueryFailed } from '../../ui/states.tsx'
import { useSettled } from '../../ui/use-settled.ts'
import { bodyOf, mistakesIn } from './draft.ts'
import { useEditor } from './editor-context.ts'
import { slackPieces } from './slack-text.ts'

/** A pause in typing before the message is made, ms. */
const pauseMs = 400

const formats = ['slack', 'mail', 'json'] as const
type Format = (typeof formats)[number]

const textOf = (value: unknown): string => {
  const text = typeof value === 'object' && value !== null && 'text' in value ? value.text : value
  return typeof text === 'string' ? text : ''
}

/** A message as Slack shows it. Links are only labels: those of an example lead nowhere. */
function Slack({ blocks }: RestAlertPreview['slack']) {
  return (
    <div className="alert-slack">
      {blocks.map((block, at) => {
        const parts = Array.isArray(block.elements) ? block.elements : []
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: blocks have no identity and never move
          <div key={at} data-block={block.type}>
            {block.type === 'section'
              ? slackPieces(textOf(block.text)).map(({ text, isLink, isStrong }, place) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text
                  <span key={place} data-link={isLink || undefined} data-strong={isStrong || undefined}>
                    <PlainText text={text} charactersMax={400} />
                  </span>
                ))
              : parts.map((part: unknown, place) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: parts of one block
                  <span key={place} data-button={block.type === 'actions' || undefined}>
                    <PlainText text={textOf(block.type === 'actions' ? textIn(part) : part)} charactersMax={1000} />
                  </span>
                ))}
          </div>
        )
      })}
    </div>
  )
}

/** The text object of a button. */
const textIn = (part: unknown): unknown =>
  typeof part === 'object' && part !== null && 'text' in part ? part.text : part

function Shown({ answer, format }: { answer: RestAlertPreview; format: Format }) {
  const t = useTranslations('alerts.preview')
  if (format === 'slack') return <Slack {...answer.slack} />
  const text = format === 'mail' ? answer.mail.text : JSON.stringify(answer.json, undefined, 2)
  return (
    <>
      {format === 'mail' ? (
        <p className="alert-mail-subject">
          <span className="alert-note">{t('subject')}</span>{' '}
          <PlainText text={answer.mail.subject} charactersMax={400} />
        </p>
      ) : null}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a text that scrolls must be reachable by keyboard */}
      <pre className="alert-preview-text" tabIndex={0}>
        <PlainText text={text} charactersMax={20_000} />
      </pre>
    </>
  )
}

/** The first message of the rule as it is in the form, about a recent issue, in the formats of the channels. */
export function Preview() {
  const t = useTranslations('alerts.preview')
  const { organization, draft } = useEditor()
  const [format, setFormat] = useState<Format>('slack')
  const isReady = !mistakesIn(draft).some((mistake) => mistake !== 'actions')
  const body = useSettled(JSON.stringify({ rule: { ...bodyOf(draft), actions: [], escalation: [] } }), pauseMs)
  const { data, error, isFetching } = useQuery({
    queryKey: ['alert-preview', organization, body],
    queryFn: ({ signal }) =>
      apiFetch<RestAlertPreview>(`organizations/${organization}/alerts/preview/`, {
        method: 'POST',
        body: JSON.parse(body) as unknown,
        signal,
      }),
    enabled: isReady,
    staleTime: 60_000,
    retry: (count, thrown) => isTemporary(thrown) && count < 2,
  })
  return (
    <section className="alert-preview" aria-labelledby="preview-title" aria-busy={isFetching || undefined}>
      <div className="alert-back-test-head">
        <h2 id="preview-title">{t('title')}</h2>
        <Segments
          label={t('format')}
          value={format}
          choices={formats.map((value) => ({ value, label: t(value) }))}
          onChange={setFormat}
        />
      </div>
      {isReady ? null : <p className="alert-note">{t('needsName')}</p>}
      {isReady && error && !isFetching ? <QueryFailed error={error} /> : null}
      {isReady && !data && isFetching ? <PartLoading label={t('loading')} shape="text" /> : null}
      {isReady && data ? (
        <>
          <Shown answer={data} format={format} />
          <p className="alert-note">{data.issue === null ? t('noIssue') : t('about', { issue: data.issue })}</p>
        </>
      ) : null}
    </section>
  )
}
