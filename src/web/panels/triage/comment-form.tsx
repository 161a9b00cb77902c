'use client'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'next-intl'
import { type KeyboardEvent, useCallback, useEffect, useRef, useState } from 'react'
import type { RestMember } from '../../../contract/people.ts'
import { handleOf } from '../../../domain/comment.ts'
import { apiFetch } from '../../client/api.ts'
import { Button } from '../../ui/controls.tsx'
import { useErrorText } from '../../ui/error-text.ts'
import { PlainText } from '../../ui/plain-text.tsx'
import { membersFor, stepped } from './assignee-rules.ts'

const textMax = 10_000
const offeredMax = 6

/** The name that is being typed behind an @ at the caret: where it begins, and what there is of it. */
export function mentionAt(text: string, caret: number): { from: number; typed: string } | undefined {
  const found = /(?:^|[\s(])@([\p{L}\p{N}._+-]{0,40})$/u.exec(text.slice(0, caret))
  return found ? { from: caret - (found[1]?.length ?? 0), typed: found[1] ?? '' } : undefined
}

/**
 * The text of a field, kept for this tab: another event, a reload or a way back must not take what was typed. What stands
 * at first is no draft. `now` is the text of this moment, whatever a handler was made with.
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
  // Not in the first render: the server has no drafts, and its text is what the browser begins with.
  useEffect(() => {
    const kept = sessionStorage.getItem(key)
    if (kept && now.current === initial) write(kept)
  }, [key, initial, write])
  const forget = useCallback(() => sessionStorage.removeItem(key), [key])
  return { text, now, write, forget }
}

/** A field for a comment, new or changed, that offers members behind an @ and keeps its text when it can't be sent. */
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
  /** Why nothing can be written; '' where it can. */
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
  // A ref: a key that is held down comes again before the next render has `busy`.
  const sending = useRef(false)
  async function send() {
    const sent = now.current
    if (sending.current || !sent.trim()) return
    sending.current = true
    setBusy(true)
    setWrong('')
    // Another event that is opened meanwhile must not offer it a second time.
    forget()
    try {
      await apiFetch(path, { method, body: { text: sent } })
      // What was typed while it was on its way is the next comment.
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
        // A changed comment closes when it is saved: what was typed meanwhile would go with it.
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

/** Members whose names begin with the text behind an @; arrows, tab and enter choose a member. */
function useMentions(
  organization: string,
  text: string,
  write: (text: string) => void,
  field: { current: HTMLTextAreaElement | null },
) {
  const t = useTranslations('issues.assign')
  const [asked, setAsked] = useState<{ from: number; typed: string } | undefined>()
  const [at, setAt] = useState(0)
  const { data: members = [] } = useQuery({
    queryKey: ['members', organization],
    queryFn: ({ signal }) => apiFetch<RestMember[]>(`organizations/${organization}/members/`, { signal }),
    staleTime: 60_000,
    enabled: asked !== undefined,
  })
  const found = asked ? membersFor(members, asked.typed).slice(0, offeredMax) : []
  const people = members.map(({ id, name, email }) => ({ id, name, email }))
  const take = (member: RestMember | undefined) => {
    if (!member || !asked) return
    const handle = handleOf(member, people)
    const caret = asked.from + asked.typed.length
    write(`${text.slice(0, asked.from)}${handle} ${text.slice(caret)}`)
    setAsked(undefined)
    field.current?.focus()
  }
  const onKey = (event: KeyboardEvent) => {
    if (found.length === 0) return
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step) setAt((before) => stepped(before, step, found.length))
    else if (event.key === 'Enter' || event.key === 'Tab') take(found[at])
    else if (event.key === 'Escape') setAsked(undefined)
    else return
    event.preventDefault()
  }
  const list =
    found.length > 0 ? (
      <div role="listbox" aria-label={t('members')} className="mentions">
        {found.map((member, place) => (
          <div
            key={member.id}
            role="option"
            tabIndex={-1}
            aria-selected={place === at}
            className="choice"
            // Before the field loses the focus and closes the list.
            onMouseDown={(event) => {
              event.preventDefault()
              take(member)
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
    setAsked(mentionAt(area.value, area.selectionStart))
  }
  return { list, look, onKey, close: () => setAsked(undefined) }
}
