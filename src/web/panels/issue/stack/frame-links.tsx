'use client'
import { FolderGit2, SquarePen } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'
import type { RestEvent, RestFrame } from '../../../../contract/events.ts'
import { type StoredEditor, storedEditor } from '../../../client/editor.ts'
import { buttonClass } from '../../../ui/forms/controls.tsx'
import { editorHref, editors, mappedHref, repositoryHref } from './source-link.ts'

type SourcePlace = Pick<RestEvent, 'repository' | 'codeMappings'> & {
  project: string
  editor: StoredEditor | undefined
}
const Place = createContext<SourcePlace>({ repository: null, project: '', editor: undefined })

/** Where the frames inside have their source. The editor is known after hydration: the browser stores it. */
export function SourceLinks({ event, project, children }: { event: RestEvent; project: string; children: ReactNode }) {
  const [editor, setEditor] = useState<StoredEditor>()
  useEffect(() => setEditor(storedEditor()), [])
  const mappings = event.codeMappings ? { codeMappings: event.codeMappings } : {}
  return <Place value={{ ...mappings, repository: event.repository, project, editor }}>{children}</Place>
}

/** Opens the line of a frame in the repository and in the person's editor, as far as they are known. */
export function FrameLinks({ frame }: { frame: RestFrame }) {
  const t = useTranslations('issuepage')
  const { repository, codeMappings, project, editor } = useContext(Place)
  const inRepository = mappedHref(codeMappings, frame) ?? repositoryHref(repository, frame)
  const inEditor = editorHref(editor, project, frame)
  const className = buttonClass({ compact: true, icon: true })
  const openRepository = t('openRepository')
  const openEditor = t('openEditor', { editor: editors.find(({ id }) => id === editor?.editor)?.name ?? '' })
  return (
    <>
      {inRepository ? (
        <a
          className={className}
          href={inRepository}
          aria-label={openRepository}
          title={openRepository}
          rel="noreferrer noopener nofollow"
          target="_blank"
        >
          <FolderGit2 size={15} strokeWidth={1.75} aria-hidden="true" />
        </a>
      ) : null}
      {inEditor ? (
        <a className={className} href={inEditor} aria-label={openEditor} title={openEditor}>
          <SquarePen size={15} strokeWidth={1.75} aria-hidden="true" />
        </a>
      ) : null}
    </>
  )
}
