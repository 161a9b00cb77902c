import { NextIntlClientProvider } from 'next-intl'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import type { RestAlertRule } from '../../../contract/alerts/alerts.ts'
import alerts from '../../messages/alerts.en.json'
import parts from '../../messages/parts.en.json'
import { emptyDraft } from './draft.ts'
import { type Editor, EditorContext } from './editor-context.ts'
import { Notify } from './notify.tsx'

const editor: Editor = {
  organization: 'acme',
  rule: undefined,
  draft: { ...emptyDraft, actions: [] },
  change: () => undefined,
  mayWrite: false,
  mayTest: false,
  fields: {},
  projects: [],
  environments: [],
  known: { channels: [], people: [], schedules: [], trackers: [] },
}

const shown = (workflow: string | null): string =>
  renderToStaticMarkup(
    <NextIntlClientProvider locale="en" timeZone="UTC" messages={{ alerts, parts }}>
      <EditorContext.Provider value={{ ...editor, rule: { workflow } as RestAlertRule }}>
        <Notify />
      </EditorContext.Provider>
    </NextIntlClientProvider>,
  )

test.each([
  ['a rule of a workflow says so', 'Everybody', true],
  ['the name of the workflow is text', '<b>x</b>', true],
  ['a rule with receivers of its own does not', null, false],
])('%s', (_, workflow, says) => {
  const html = shown(workflow)
  expect(html.includes(alerts.receivers.workflow)).toBe(says)
  if (workflow) expect(html).toContain(workflow.replaceAll('<', '&lt;').replaceAll('>', '&gt;'))
})
