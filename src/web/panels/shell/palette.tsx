'use client'
import { useRouter } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { accountPages, allowedPages } from '../../client/settings-pages.ts'
import { type Choice, ChoiceDialog } from '../../ui/forms/choice-dialog.tsx'
import { shownKeys } from '../../ui/keys/key-rules.ts'
import { useBindings } from '../../ui/keys/keys.tsx'
import { jumpOf } from '../search/terms.ts'
import type { Frame } from './frame.ts'

const noEvent = () => new KeyboardEvent('keydown')

const openWords = { digest: 'openDigest', event: 'openEvent', issue: 'openIssue' } as const

/**
 * The command palette: actions on the selected rows, then all keys of the registry, then the pages of the settings. A
 * typed or pasted digest (also within its error sentence), event id or short id adds a choice that opens it.
 */
export function Palette({
  frame,
  actions,
  onClose,
}: {
  frame: Frame
  actions: readonly Choice[]
  onClose: () => void
}) {
  const t = useTranslations('shell')
  const pages = useTranslations('frame.settings')
  const alerts = useTranslations('alerts')
  const router = useRouter()
  const bindings = useBindings()
  const labels = new Set(actions.map((action) => action.text))
  const newest = new Map(bindings.map((binding) => [binding.keys, binding]))
  const byLabel = new Map([...newest.values()].map((command) => [command.label, command]))
  const keyed = [...byLabel.values()]
    .filter(({ label, keys }) => !labels.has(label) && keys !== '$mod+k' && keys !== 'Escape')
    .map(({ keys, group, label, run }) => ({
      id: `key-${keys}`,
      text: label,
      note: group,
      keys: shownKeys(keys),
      run: () => run(noEvent()),
    }))
  const withKeys = actions.map((action) => {
    const existing = byLabel.get(action.text)
    return existing ? { ...action, keys: shownKeys(existing.keys) } : action
  })
  const settings = [...accountPages, ...allowedPages(frame.rights)].map(
    ({ id, path }): Choice => ({
      id: `settings-${id}`,
      text: pages(id),
      note: pages('title'),
      run: () => router.push(`/o/${frame.organization.slug}${path}`),
    }),
  )
  const create: Choice[] = frame.rights.createAlert
    ? [
        {
          id: 'alert-new',
          text: alerts('list.create'),
          note: alerts('list.title'),
          run: () => router.push(`/o/${frame.organization.slug}/alerts/new`),
        },
      ]
    : []
  const jumps = (text: string): Choice[] => {
    const jump = jumpOf(text)
    if (!jump) return []
    return [{ id: 'jump', text: t(openWords[jump.kind], { name: jump.name }), run: () => router.push(jump.path) }]
  }
  return (
    <ChoiceDialog
      title={t('palette')}
      label={t('paletteLabel')}
      none={t('paletteNone')}
      choices={[...withKeys, ...keyed, ...create, ...settings]}
      searchChoices={jumps}
      onClose={onClose}
    />
  )
}
