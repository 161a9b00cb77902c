'use client'
import { useTranslations } from 'next-intl'
import { createContext, type ReactNode, useContext, useMemo } from 'react'
import { type Remark, remarkIndex } from './metadata-notes.ts'

const Remarks = createContext<ReadonlyMap<string, Remark[]>>(new Map())

/** Gives the values below their remarks. */
export function RemarksProvider({ remarks, children }: { remarks: readonly Remark[]; children: ReactNode }) {
  return <Remarks value={useMemo(() => remarkIndex(remarks), [remarks])}>{children}</Remarks>
}

/** The mark of a value that was trimmed, scrubbed or repaired; nothing for others. `path` as in the payload. */
export function Mark({ path }: { path: string }) {
  const t = useTranslations('issues.remark')
  const found = useContext(Remarks).get(path)
  const [first] = found ?? []
  if (!found || !first) return null
  const title = found
    .map(
      (item) =>
        `${t(item.kind)}: ${item.rule}${item.lengthWas === null ? '' : ` (${t('was', { count: item.lengthWas })})`}`,
    )
    .join('\n')
  return (
    <span className={`remark remark-${first.kind}`} title={title}>
      {t(first.kind)}
    </span>
  )
}
