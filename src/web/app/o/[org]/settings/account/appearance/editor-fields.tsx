'use client'
import { useTranslations } from 'next-intl'
import { useEffect, useState } from 'react'
import { storedEditor, storeEditor } from '../../../../../../client/editor.ts'
import { editors, isFolder } from '../../../../../../panels/issue/stack/source-link.ts'
import { Field, Input, Select } from '../../../../../../ui/forms/controls.tsx'

/** The editor that frames open in, and the folder of the code. Stored in this browser, because computers differ. */
export function EditorFields() {
  const t = useTranslations('account')
  const [choice, choose] = useState({ editor: '', folder: '' })
  const [isKept, setKept] = useState(true)
  useEffect(() => choose(storedEditor() ?? { editor: '', folder: '' }), [])
  function change(part: Partial<typeof choice>) {
    const next = { ...choice, ...part }
    choose(next)
    setKept(storeEditor(next))
  }
  const { editor, folder } = choice
  const errors = [
    ...(editor && folder && !isFolder(folder) ? [t('editorFolderWrong')] : []),
    ...(isKept ? [] : [t('editorNotKept')]),
  ]
  return (
    <section className="grid max-w-[460px] gap-4">
      <h2>{t('editorTitle')}</h2>
      <p className="text-ink-2">{t('editorWhy')}</p>
      <Field id="editor" label={t('editor')}>
        <Select id="editor" value={editor} onChange={(event) => change({ editor: event.target.value })}>
          <option value="">{t('editorNone')}</option>
          {editors.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
      </Field>
      {editor ? (
        <Field id="editor-folder" label={t('editorFolder')} hint={t('editorFolderHint')} errors={errors}>
          <Input
            id="editor-folder"
            className="font-mono"
            value={folder}
            maxLength={400}
            spellCheck={false}
            autoComplete="off"
            placeholder="/home/ada/code/{project}"
            aria-describedby="editor-folder-note"
            aria-invalid={errors.length > 0 || undefined}
            onChange={(event) => change({ folder: event.target.value.trim() })}
          />
        </Field>
      ) : null}
    </section>
  )
}
