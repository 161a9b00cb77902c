'use client'
import { useTranslations } from 'next-intl'
import { createContext, type ReactNode, useContext, useMemo } from 'react'
import type { RestEvent } from '../../../contract/events.ts'
import { type MetadataNote as Note, notesByPath, notesOf } from './metadata-notes.ts'

type Notes = { all: readonly Note[]; byPath: ReadonlyMap<string, readonly Note[]> }

const Notes = createContext<Notes>({ all: [], byPath: new Map() })

/** Provides the event's metadata notes to its children. */
export function MetadataNotes({ event, children }: { event: RestEvent; children: ReactNode }) {
  const notes = useMemo(() => {
    const all = notesOf(event._meta, event.errors)
    return { all, byPath: notesByPath(all) }
  }, [event])
  return <Notes value={notes}>{children}</Notes>
}

/** All notes of the event, in their order. */
export const useMetadataNotes = (): readonly Note[] => useContext(Notes).all

/** Shows that the value at `path` in the payload was trimmed, scrubbed or repaired, else nothing. */
export function MetadataNote({ path }: { path: string }) {
  const t = useTranslations('issues.remark')
  const found = useContext(Notes).byPath.get(path)
  const [first] = found ?? []
  if (!found || !first) return null
  const title = found
    .map(
      (note) =>
        `${t(note.kind)}: ${note.rule}${note.lengthWas === null ? '' : ` (${t('was', { count: note.lengthWas })})`}`,
    )
    .join('\n')
  return (
    <span className={`remark remark-${first.kind}`} title={title}>
      {t(first.kind)}
    </span>
  )
}
