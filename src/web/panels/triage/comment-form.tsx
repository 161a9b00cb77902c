'use client'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'next-intl'
import { type KeyboardEvent, useCallback, useEffect, useRef, useState } from 'react'
import type { RestMember } from '../../../contract/people.ts'
import { handleOf } from '../../../domain/comment.ts'
import { apiFetch } from '../../client/api.ts'
import { useErrorText } from '../../ui/error-text.ts'
import { Button } from '../../ui/forms/controls.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { membersFor, stepped } from './assignee-rules.ts'

const textMax = 10_000
const offeredMax = 6

/** The name being typed after an @ at the caret: its start and its text so far. */
export function mentionAt(text: string, caret: number): { from: number; typed: string } | undefined {
  const found = /(?:^|[\s(])@([\p{L}\p{N}._+-]{0,40})$/u.exec(text.slice(0, caret))
  return found ? { from: caret - (found[1]?.length ?? 0), typed: found[1] ?? '' } : undefined
}

/**
 * The text of a field, stored for this tab, so that it survives a reload or a visit to another event. The initial text
 * is not stored as a draft. `now` is the current text, also in older handlers.
 */
function useDraft(path: string, initial: string) {
  const key = `draft:${path}`
  const [text, setText] = useState(initial)
  const now = useRef(initial)
  const write = useCallback(
    (next: string) => {
      now.current = next
      setText(next)
      if (next === initial) sessionStorage.removeItem(key)
      else sessionStorage.setItem(key, next)
    },
    [key, initial],
  )
  // Not in the first render: the server has no drafts, and hydration must match its text.
  useEffect(() => {
    const stored = sessionStorage.getItem(key)
    if (stored && now.current === initial) write(stored)
  }, [key, initial, write])
  const forget = useCallback(() => sessionStorage.removeItem(key), [key])
  return { text, now, write, forget }
}

/** A comment field, new or edited. Suggests members after an @ and keeps its text if sending fails. */
export function CommentForm({
  organization,
  path,
  method,
  initial = '',
  disabled = '',
  done,
  cancel,
}: {
  organization: string
  path: string
  method: 'POST' | 'PUT'
  initial?: string
  /** Why writing is not allowed; '' if it is. */
  disabled?: string
  done: () => void
  cancel?: () => void
}) {
  const t = useTranslations('issues.activity')
  const triage = useTranslations('triage.comment')
  const field = useRef<HTMLTextAreaElement>(null)
  const { text, now, write, forget } = useDraft(path, initial)
  const [busy, setBusy] = useState(false)
  const [wrong, setWrong] = useState('')
  const why = useErrorText()
  const names = useMentions(organization, text, write, field)
  // A ref, because a held key repeats before the next render has `busy`.
  const sending = useRef(false)
  async function send() {
    const sent = now.current
    if (sending.current || !sent.trim()) return
    sending.current = true
    setBusy(true)
    setWrong('')
    // Another event opened meanwhile must not restore this draft.
    forget()
    try {
      await apiFetch(path, { method, body: { text: sent } })
      // Text typed while sending is the next comment.
      if (now.current === sent) write(initial)
      done()
    } catch (error) {
      write(now.current)
      setWrong(why(error))
    }
    sending.current = false
    setBusy(false)
  }
  return (
    <form
      className="comment"
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      <textarea
        ref={field}
        className="input"
        rows={method === 'PUT' ? 4 : 2}
        maxLength={textMax}
        aria-label={t('comment')}
        placeholder={disabled || t('comment')}
        disabled={disabled !== ''}
        // An edited comment closes after saving, which would lose text typed meanwhile.
        readOnly={busy && method === 'PUT'}
        value={text}
        onChange={(event) => {
          write(event.target.value)
          names.look(event.target)
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) void send()
          else names.onKey(event)
        }}
        onBlur={names.close}
      />
      {names.list}
      {wrong ? (
        <p role="alert" className="text-small text-error">
          {wrong}
        </p>
      ) : null}
      <div className="flex flex-wrap items-baseline gap-2">
        <Button type="submit" compact disabled={disabled !== '' || busy || !text.trim()}>
          {method === 'PUT' ? triage('save') : t('send')}
        </Button>
        {cancel ? (
          <Button
            compact
            look="plain"
            onClick={() => {
              write(initial)
              cancel()
            }}
          >
            {triage('cancel')}
          </Button>
        ) : null}
        <span className="text-small text-ink-3">{triage('hint')}</span>
      </div>
    </form>
  )
}

/** Suggests members for the name after an @. Arrow keys, Tab and Enter choose a member. */
function useMentions(
  organization: string,
  text: string,
  write: (text: string) => void,
  field: { current: HTMLTextAreaElement | null },
) {
  const t = useTranslations('issues.assign')
  const [mention, setMention] = useState<{ from: number; typed: string } | undefined>()
  const [at, setAt] = useState(0)
  const { data: members = [] } = useQuery({
    queryKey: ['members', organization],
    queryFn: ({ signal }) => apiFetch<RestMember[]>(`organizations/${organization}/members/`, { signal }),
    staleTime: 60_000,
    enabled: mention !== undefined,
  })
  const found = mention ? membersFor(members, mention.typed).slice(0, offeredMax) : []
  const people = members.map(({ id, name, email }) => ({ id, name, email }))
  const insertMention = (member: RestMember | undefined) => {
    if (!member || !mention) return
    const handle = handleOf(member, people)
    const caret = mention.from + mention.typed.length
    write(`${text.slice(0, mention.from)}${handle} ${text.slice(caret)}`)
    setMention(undefined)
    field.current?.focus()
  }
  const onKey = (event: KeyboardEvent) => {
    if (found.length === 0) return
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step) setAt((before) => stepped(before, step, found.length))
    else if (event.key === 'Enter' || event.key === 'Tab') insertMention(found[at])
    else if (event.key === 'Escape') setMention(undefined)
    else return
    event.preventDefault()
  }
  const list =
    found.length > 0 ? (
      <div role="listbox" aria-label={t('members')} className="mentions">
        {found.map((member, index) => (
          <div
            key={member.id}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            className="choice"
            // Before the field loses focus and closes the list.
            onMouseDown={(event) => {
              event.preventDefault()
              insertMention(member)
            }}
          >
            <PlainText text={member.name} charactersMax={64} />{' '}
            <span className="text-ink-3">
              <PlainText text={member.email} charactersMax={254} />
            </span>
          </div>
        ))}
      </div>
    ) : null
  const look = (area: HTMLTextAreaElement) => {
    setAt(0)
    setMention(mentionAt(area.value, area.selectionStart))
  }
  return { list, look, onKey, close: () => setMention(undefined) }
}
