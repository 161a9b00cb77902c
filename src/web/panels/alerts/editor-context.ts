'use client'
import { createContext, useContext } from 'react'
import type { RestAlertRule } from '../../../contract/alerts/alerts.ts'
import type { ProjectName } from '../search/list-params.ts'
import type { RuleDraft } from './draft.ts'
import type { KnownReceivers } from './receivers.ts'

/** What the parts of the form share. */
export type Editor = {
  organization: string
  /** The stored rule; undefined while a new one is written. */
  rule: RestAlertRule | undefined
  draft: RuleDraft
  change: (change: Partial<RuleDraft>) => void
  mayWrite: boolean
  /** Whether the reader may send test messages. */
  mayTest: boolean
  /** Sentences of the last save by field. */
  fields: Readonly<Record<string, string[]>>
  projects: readonly ProjectName[]
  environments: readonly string[]
  known: KnownReceivers
}

export const EditorContext = createContext<Editor | undefined>(undefined)

/** The editor around a part of the form. */
export function useEditor(): Editor {
  const editor = useContext(EditorContext)
  if (!editor) throw new Error('A part of the rule form needs its editor.')
  return editor
}
