'use client'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import type { RestGroupingInfo } from '../../../contract/grouping.ts'
import { type GroupingHint, type GroupingNode, groupingHints } from '../../../domain/grouping.ts'
import { PlainText } from '../../ui/plain-text.tsx'
import './grouping.css'

type Variant = RestGroupingInfo['variants'][number]
type Word = ReturnType<typeof useTranslations<'grouping'>>

const hintOf = (text: string | null | undefined): GroupingHint | undefined =>
  groupingHints.find((groupingHint) => groupingHint === text)

/** Why a part counts or not, with the rule that decided it. */
function Why({ node, t }: { node: Pick<GroupingNode, 'hint' | 'rule'>; t: Word }) {
  if (!node.hint) return null
  return (
    <span className="text-small text-ink-3">
      {t(`hint.${node.hint}`)}
      {node.rule ? (
        <>
          : <PlainText text={node.rule} charactersMax={300} />
        </>
      ) : null}
    </span>
  )
}

/** A part with a single text: name, text and reason. */
function Leaf({ node, counts, t }: { node: GroupingNode; counts: boolean; t: Word }) {
  const doesCount = counts && node.contributes
  return (
    <span className={doesCount ? 'grouping-leaf' : 'grouping-leaf grouping-out'}>
      <span className="grouping-name">{t(`node.${node.id}`)}</span>
      <code className={doesCount ? 'grouping-value' : undefined}>
        <PlainText text={String(node.values[0] ?? '')} charactersMax={600} />
      </code>
      <Why node={node} t={t} />
    </span>
  )
}

const isLeaf = (node: GroupingNode | string): boolean =>
  typeof node !== 'string' && node.values.length === 1 && typeof node.values[0] === 'string'

/** A part of the tree with its children. `counts`: all its ancestors count. A frame takes one line. */
function Part({ node, counts, all, t }: { node: GroupingNode; counts: boolean; all: boolean; t: Word }) {
  const doesCount = counts && node.contributes
  if (!doesCount && !all) return null
  const texts = node.values.filter((value) => typeof value === 'string')
  const parts = node.values.filter((value) => typeof value !== 'string')
  const isLine = parts.length > 0 && node.values.every(isLeaf) && node.id === 'frame'
  return (
    <li className={doesCount ? 'grouping-part' : 'grouping-part grouping-out'}>
      <div className="grouping-line">
        <span className="grouping-name">{t(`node.${node.id}`)}</span>
        {texts.map((text, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the texts of a part never change their order
          <code key={at} className={doesCount ? 'grouping-value' : undefined}>
            <PlainText text={text} charactersMax={600} />
          </code>
        ))}
        {isLine
          ? parts.map((part) =>
              (doesCount && part.contributes) || all ? (
                <Leaf key={part.id} node={part} counts={doesCount} t={t} />
              ) : null,
            )
          : null}
        <Why node={node} t={t} />
      </div>
      {parts.length > 0 && !isLine ? (
        <ul className="grouping-parts">
          {parts.map((part, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a tree never change their order
            <Part key={at} node={part} counts={doesCount} all={all} t={t} />
          ))}
        </ul>
      ) : null}
    </li>
  )
}

/** One grouping variant: whether it counts, its hash and its tree. */
function VariantTree({ variant, isFirst, all, t }: { variant: Variant; isFirst: boolean; all: boolean; t: Word }) {
  const hint = hintOf(variant.hint)
  return (
    <details className="grouping-variant" open={variant.contributes}>
      <summary>
        <b>{t(`variant.${variant.name as 'app'}`)}</b>{' '}
        <span className={`chip ${variant.contributes ? 'text-ok' : 'text-ink-3'}`}>
          {variant.contributes ? t('counts') : t('not')}
        </span>{' '}
        {variant.hash ? <code className="text-ink-2">{variant.hash}</code> : null}{' '}
        {isFirst ? <span className="text-small text-ink-3">{t('stands')}</span> : null}
        {hint ? <Why node={{ hint }} t={t} /> : null}
      </summary>
      <ul className="grouping-parts">
        <Part node={variant.component} counts all={all || !variant.contributes} t={t} />
      </ul>
    </details>
  )
}

/** All grouping variants of an event as trees. Shows parts that do not count on demand. */
export function GroupingTrees({ info }: { info: RestGroupingInfo }) {
  const t = useTranslations('grouping')
  const [all, setAll] = useState(false)
  const first = info.variants.findIndex((variant) => variant.contributes)
  const isChanged = info.hashes.length > 0 && !info.hashes.every((hash) => info.storedHashes.includes(hash))
  return (
    <>
      {info.rule ? (
        <p className="mb-2">
          {t('rule')}:{' '}
          <code>
            <PlainText text={info.rule} charactersMax={600} />
          </code>
        </p>
      ) : null}
      {isChanged ? (
        <p className="mb-2 text-ink-2">
          {t('changed')}{' '}
          {info.storedRule ? <PlainText text={t('ruleThen', { rule: info.storedRule })} charactersMax={600} /> : null}
        </p>
      ) : null}
      <label className="mb-2 flex items-center gap-2">
        <input type="checkbox" className="checkbox" checked={all} onChange={(event) => setAll(event.target.checked)} />{' '}
        {t('all')}
      </label>
      {info.variants.map((variant, at) => (
        <VariantTree
          // biome-ignore lint/suspicious/noArrayIndexKey: variants can share a name, and their order never changes
          key={at}
          variant={variant}
          isFirst={at === first}
          all={all}
          t={t}
        />
      ))}
    </>
  )
}
