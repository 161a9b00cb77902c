'use client'
import dynamic from 'next/dynamic'
import { usePathname, useRouter } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { LiveChange } from '../../../contract/live.ts'
import { patientImport } from '../../client/connection.ts'
import { isDark, setTheme } from '../../client/theme.ts'
import type { Choice } from '../../ui/forms/choice-dialog.tsx'
import { shownKeys } from '../../ui/keys/key-rules.ts'
import { useKey } from '../../ui/keys/keys.tsx'
import { useSearchKey } from '../../ui/keys/search-key.ts'
import { LiveProvider, useLive } from '../../ui/live.tsx'
import { usePaletteList } from '../../ui/palette-actions.tsx'
import { type Frame, projectSearch } from './frame.ts'
import { PhoneHead, TabBar } from './phone.tsx'
import { type ShellActions, Sidebar } from './sidebar.tsx'
import { useCounts } from './use-counts.ts'
import { useSelection } from './use-selection.ts'

const Palette = dynamic(
  patientImport(() => import('./palette.tsx').then((module) => module.Palette)),
  { ssr: false },
)
const KeyHelp = dynamic(
  patientImport(() => import('./key-help.tsx').then((module) => module.KeyHelp)),
  { ssr: false },
)

/** Says in each open page which store is away. */
function StoreBar() {
  const t = useTranslations('shell')
  // The host of the server that is down; '' for the embedded engine.
  const [down, setDown] = useState<string>()
  const [isDatabaseUp, setDatabaseUp] = useState(true)
  useLive((change: LiveChange) => {
    if (change.kind === 'database') setDatabaseUp(change.up)
    if (change.kind === 'engine') setDown(change.up ? undefined : (change.host ?? ''))
    // After `missed` the server reports at once if the engine is down.
    if (change.kind === 'missed') setDown(undefined)
  })
  if (isDatabaseUp && down === undefined) return null
  return (
    <div className="offline" role="status">
      {t(isDatabaseUp ? (down ? 'serverDown' : 'engineDown') : 'databaseDown', { host: down ?? '' })}
    </div>
  )
}

function toggleTheme() {
  setTheme(isDark() ? 'light' : 'dark')
}

/** The global keys. */
function useShellKeys(base: string, projects: string, { showPalette, showKeys }: ShellActions): void {
  const t = useTranslations('shell')
  const frame = useTranslations('frame')
  const people = useTranslations('people')
  const alerts = useTranslations('alerts')
  const boards = useTranslations('boards')
  const router = useRouter()
  useKey('$mod+k', t('global'), t('palette'), showPalette)
  useKey('?', t('global'), t('showKeys'), showKeys)
  useKey('$mod+Shift+l', t('global'), t('toggleTheme'), toggleTheme)
  useSearchKey(base)
  useKey('g h', t('global'), frame('overview'), () => router.push(base))
  useKey('g i', t('global'), t('issues'), () => router.push(`${base}/issues${projects}`))
  useKey('g j', t('global'), t('projects'), () => router.push(`${base}/projects`))
  useKey('g p', t('global'), frame('performance'), () => router.push(`${base}/performance${projects}`))
  useKey('g l', t('global'), t('logs'), () => router.push(`${base}/logs${projects}`))
  useKey('g x', t('global'), frame('explore'), () => router.push(`${base}/explore${projects}`))
  useKey('g d', t('global'), boards('name'), () => router.push(`${base}/dashboards`))
  useKey('g k', t('global'), frame('metrics'), () => router.push(`${base}/metrics${projects}`))
  useKey('g e', t('global'), t('releases'), () => router.push(`${base}/releases${projects}`))
  useKey('g a', t('global'), alerts('list.title'), () => router.push(`${base}/alerts`))
  useKey('g f', t('global'), people('feedback'), () => router.push(`${base}/feedback`))
  useKey('g s', t('global'), t('settings'), () => router.push(`${base}/settings`))
}

/** The menu of small screens: open or closed. It closes after a navigation and on Escape. */
function useMenu() {
  const path = usePathname()
  const [isOpen, setOpen] = useState(false)
  const nav = useRef<HTMLElement>(null)
  const opener = useRef<Element | null>(null)
  const close = () => {
    setOpen(false)
    if (opener.current instanceof HTMLElement) opener.current.focus()
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: closes after each navigation
  useEffect(() => setOpen(false), [path])
  useEffect(() => {
    if (isOpen) nav.current?.querySelector<HTMLElement>('summary, a, button')?.focus()
  }, [isOpen])
  const show = () => {
    opener.current = document.activeElement
    setOpen(true)
  }
  return { isOpen, nav, show, close }
}

/** The text of the palette's key. The server does not know the keyboard, so the first render has the usual text. */
function useKeyHint(): string {
  const [hint, setHint] = useState('Ctrl+K')
  useEffect(() => setHint(shownKeys('$mod+k').join(' ').toUpperCase().replace('CTRL', 'Ctrl')), [])
  return hint
}

type ShellProps = {
  frame: Frame
  signOut: () => Promise<void>
  children: ReactNode
}

/** The page with its sidebar. */
export function Shell({ frame, signOut, children }: ShellProps) {
  return (
    <LiveProvider key={frame.organization.slug} organization={frame.organization.slug} since={frame.liveId}>
      <ShellParts frame={frame} signOut={signOut}>
        {children}
      </ShellParts>
    </LiveProvider>
  )
}

function ShellParts({ frame, signOut, children }: ShellProps) {
  const t = useTranslations('frame')
  const shell = useTranslations('shell')
  const [helpOpen, setHelpOpen] = useState(false)
  const [palette, setPalette] = useState<readonly Choice[] | undefined>()
  const offered = usePaletteList()
  const counts = useCounts(frame.organization.slug)
  const selection = useSelection(frame)
  const menu = useMenu()
  const keyHint = useKeyHint()
  const actions: ShellActions = {
    showPalette: () => setPalette(offered()),
    showKeys: () => setHelpOpen(true),
    toggleTheme,
  }
  useShellKeys(`/o/${frame.organization.slug}`, projectSearch(selection.remembered), actions)
  return (
    <>
      <div className="shell" data-menu={menu.isOpen || undefined}>
        <a href="#content" className="visually-hidden">
          {shell('skip')}
        </a>
        <PhoneHead frame={frame} isOpen={menu.isOpen} showMenu={menu.show} showPalette={actions.showPalette} />
        <nav
          ref={menu.nav}
          id="menu"
          className="shell-side"
          aria-label={t('navigation')}
          onKeyDown={(event) => {
            if (event.key === 'Escape' && menu.isOpen) menu.close()
          }}
        >
          <Sidebar
            frame={frame}
            counts={counts}
            selection={selection}
            actions={actions}
            signOut={signOut}
            keyHint={keyHint}
          />
        </nav>
        {menu.isOpen ? (
          <button type="button" className="shell-backdrop" onClick={menu.close} aria-label={t('closeMenu')} />
        ) : null}
        <main id="content" className="shell-main" inert={menu.isOpen}>
          <StoreBar />
          {children}
        </main>
        <TabBar
          frame={frame}
          counts={counts}
          remembered={selection.remembered}
          isOpen={menu.isOpen}
          showMenu={menu.show}
        />
      </div>
      {palette ? <Palette frame={frame} actions={palette} onClose={() => setPalette(undefined)} /> : null}
      {helpOpen ? <KeyHelp onClose={() => setHelpOpen(false)} /> : null}
    </>
  )
}
