'use client'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { PlainText } from '../../ui/plain-text.tsx'

/** Members to show per object or array before "more": a hostile payload can have 100,000. */
const membersStep = 100
const textMax = 2000

function Leaf({ value }: { value: unknown }) {
  const kind = value === null ? 'null' : typeof value
  return (
    <span className={`json-${kind}`}>
      {kind === 'string' ? '"' : ''}
      <PlainText text={String(value)} charactersMax={textMax} />
      {kind === 'string' ? '"' : ''}
    </span>
  )
}

function Name({ name }: { name: string | undefined }) {
  if (name === undefined) return null
  return (
    <>
      <span className="json-name">
        <PlainText text={name} charactersMax={200} />
      </span>
      :{' '}
    </>
  )
}

function Node({
  name,
  value,
  depth,
  openDepth,
}: {
  name: string | undefined
  value: unknown
  depth: number
  openDepth: number
}) {
  const t = useTranslations('issues.json')
  const [open, setOpen] = useState(depth < openDepth)
  const [shown, setShown] = useState(membersStep)
  if (typeof value !== 'object' || value === null) {
    return (
      <li>
        <Name name={name} />
        <Leaf value={value} />
      </li>
    )
  }
  const isArray = Array.isArray(value)
  const members = Object.entries(value)
  const [opening, closing] = isArray ? ['[', ']'] : ['{', '}']
  if (members.length === 0) {
    return (
      <li>
        <Name name={name} />
        {opening}
        {closing}
      </li>
    )
  }
  return (
    <li>
      <button type="button" className="json-fold" aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? '▾' : '▸'} <Name name={name} />
        {opening}
        {open ? '' : ` ${t('members', { count: members.length })} ${closing}`}
      </button>
      {open ? (
        <>
          <ul>
            {members.slice(0, shown).map(([key, member]) => (
              <Node key={key} name={isArray ? undefined : key} value={member} depth={depth + 1} openDepth={openDepth} />
            ))}
            {members.length > shown ? (
              <li>
                <button type="button" className="link" onClick={() => setShown(shown + membersStep)}>
                  {t('more', { count: members.length - shown })}
                </button>
              </li>
            ) : null}
          </ul>
          {closing}
        </>
      ) : null}
    </li>
  )
}

/** JSON as a collapsible tree. The first `openDepth` levels are open; members appear 100 at a time. */
export function JsonTree({ value, openDepth = 1 }: { value: unknown; openDepth?: number }) {
  return (
    <ul className="json">
      <Node name={undefined} value={value} depth={0} openDepth={openDepth} />
    </ul>
  )
}
