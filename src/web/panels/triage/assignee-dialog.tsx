'use client'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'next-intl'
import { type KeyboardEvent, useRef, useState } from 'react'
import type { RestMember } from '../../../contract/people.ts'
import { apiFetch } from '../../client/api.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Input } from '../../ui/forms/controls.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { type Assignee, membersFor, stepped } from './assignee-rules.ts'

const listId = 'assignee-choices'
const optionId = (at: number) => `${listId}-${at}`

/** Chooses an assignee: members by name or e-mail address, or nobody. By click, arrow keys and Enter. */
export function AssigneeDialog({
  organization,
  count,
  onChoose,
  onClose,
}: {
  organization: string
  /** Number of issues; null: all that match, of unknown number. */
  count: number | null
  onChoose: (to: Assignee | null) => void
  onClose: () => void
}) {
  const t = useTranslations('issues.assign')
  const field = useRef<HTMLInputElement>(null)
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const members = useQuery({
    queryKey: ['members', organization],
    queryFn: ({ signal }) => apiFetch<RestMember[]>(`organizations/${organization}/members/`, { signal }),
    staleTime: 60_000,
  })
  const found: (RestMember | null)[] = membersFor(members.data ?? [], text)
  // No choices until the members are loaded: a choice must not move under the pointer.
  const choices = members.isPending ? [] : text.trim() === '' ? [...found, null] : found
  const choose = (choice: RestMember | null | undefined) => {
    if (choice === undefined) return
    onChoose(choice && { type: 'user', id: choice.id, name: choice.user.name, email: choice.email })
    onClose()
  }
  const onKey = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step) setAt((before) => stepped(before, step, choices.length))
    else if (event.key === 'Enter') choose(choices[at])
    else return
    event.preventDefault()
  }
  return (
    <Dialog title={count === null ? t('titleAll') : t('title', { count })} onClose={onClose} focus={field}>
      <Input
        ref={field}
        role="combobox"
        aria-label={t('search')}
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={choices.length ? optionId(at) : undefined}
        autoComplete="off"
        placeholder={t('search')}
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setAt(0)
        }}
        onKeyDown={onKey}
      />
      {members.error ? (
        <p role="alert" className="mt-2 text-error">
          {members.error.message}
        </p>
      ) : null}
      <div id={listId} role="listbox" aria-label={t('members')} className="mt-2 max-h-[320px] overflow-y-auto">
        {choices.map((choice, index) => (
          <div
            key={choice?.id ?? ''}
            id={optionId(index)}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            className="choice"
            onPointerMove={() => setAt(index)}
            onClick={() => choose(choice)}
            onKeyDown={onKey}
          >
            {choice ? (
              <>
                <PlainText text={choice.name} charactersMax={64} />{' '}
                <span className="text-ink-3">
                  <PlainText text={choice.email} charactersMax={254} />
                </span>
              </>
            ) : (
              t('nobody')
            )}
          </div>
        ))}
      </div>
      {members.data && choices.length === 0 ? <p className="mt-2 text-ink-3">{t('none')}</p> : null}
    </Dialog>
  )
}
