'use client'
import {
  Activity,
  Bell,
  Boxes,
  Command,
  Inbox,
  Keyboard,
  MessageSquare,
  Moon,
  Settings,
  Sun,
  Tag,
  Users,
} from 'lucide-react'
import dynamic from 'next/dynamic'
import { usePathname, useRouter } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { type ReactNode, useState } from 'react'
import type { LiveChange } from '../../../contract/live.ts'
import { isDark, setTheme } from '../../client/theme.ts'
import type { Choice } from '../../ui/choice-dialog.tsx'
import { useKey } from '../../ui/keys/keys.tsx'
import { useSearchKey } from '../../ui/keys/search-key.ts'
import { Link } from '../../ui/link.tsx'
import { LiveProvider, useLive } from '../../ui/live.tsx'
import { Logo } from '../../ui/logo.tsx'
import { usePaletteList } from '../../ui/palette-actions.tsx'

const Palette = dynamic(() => import('./palette.tsx').then((module) => module.Palette), { ssr: false })
const KeyHelp = dynamic(() => import('./key-help.tsx').then((module) => module.KeyHelp), { ssr: false })

type ShellOrganization = { slug: string; name: string }

const icon = { size: 15, strokeWidth: 1.75, 'aria-hidden': true } as const

function Entry({
  href,
  label,
  children,
  also = [],
}: {
  href: string
  label: string
  children: ReactNode
  also?: string[]
}) {
  const path = usePathname()
  const isCurrent = [href, ...also].some((prefix) => path === prefix || path.startsWith(`${prefix}/`))
  return (
    <Link
      href={href}
      className="shell-entry"
      aria-current={isCurrent ? 'page' : undefined}
      title={label}
      aria-label={label}
    >
      {children}
      <span className="shell-word">{label}</span>
    </Link>
  )
}

function EngineBar() {
  const t = useTranslations('shell')
  const [down, setDown] = useState(false)
  useLive((change: LiveChange) => {
    if (change.kind === 'engine') setDown(!change.up)
    // After `missed` the server reports at once if the engine is down.
    if (change.kind === 'missed') setDown(false)
  })
  if (!down) return null
  return (
    <div className="offline" role="status">
      {t('engineDown')}
    </div>
  )
}

/** Link to the notifications; highlighted while a channel fails. */
function NotificationsEntry({ base, failing }: { base: string; failing: number }) {
  const t = useTranslations('notifications')
  const label = failing > 0 ? t('someFailing', { count: failing }) : t('title')
  return (
    <Entry href={`${base}/settings/notifications`} label={label}>
      <Bell {...icon} {...(failing > 0 ? { className: 'text-error' } : {})} />
    </Entry>
  )
}

function toggleTheme() {
  setTheme(isDark() ? 'light' : 'dark')
}

/** The global keys. */
function useShellKeys(base: string, showPalette: () => void, showKeys: () => void): void {
  const t = useTranslations('shell')
  const people = useTranslations('people')
  const notifications = useTranslations('notifications')
  const router = useRouter()
  useKey('$mod+k', t('global'), t('palette'), showPalette)
  useKey('?', t('global'), t('showKeys'), showKeys)
  useKey('$mod+Shift+l', t('global'), t('toggleTheme'), toggleTheme)
  useSearchKey(base)
  useKey('g i', t('global'), t('issues'), () => router.push(`${base}/issues`))
  useKey('g j', t('global'), t('projects'), () => router.push(`${base}/projects`))
  useKey('g e', t('global'), t('releases'), () => router.push(`${base}/releases`))
  useKey('g a', t('global'), notifications('title'), () => router.push(`${base}/settings/notifications`))
  useKey('g f', t('global'), people('feedback'), () => router.push(`${base}/feedback`))
  useKey('g s', t('global'), t('settings'), () => router.push(`${base}/settings/account`))
}

/** The foot of the sidebar: palette, keys, theme, account. */
function ShellFoot({ base, showPalette, showKeys }: { base: string; showPalette: () => void; showKeys: () => void }) {
  const t = useTranslations('shell')
  return (
    <div className="shell-foot">
      <button
        type="button"
        className="shell-entry"
        onClick={showPalette}
        title={t('palette')}
        aria-label={t('palette')}
      >
        <Command {...icon} />
        <span className="shell-word">{t('palette')}</span>
      </button>
      <button type="button" className="shell-entry" onClick={showKeys} title={t('keys')} aria-label={t('keys')}>
        <Keyboard {...icon} />
        <span className="shell-word">{t('keys')}</span>
      </button>
      <button
        type="button"
        className="shell-entry"
        onClick={toggleTheme}
        title={t('toggleTheme')}
        aria-label={t('toggleTheme')}
      >
        <Sun {...icon} className="theme-sun" />
        <Moon {...icon} className="theme-moon" />
        <span className="shell-word">{t('theme')}</span>
      </button>
      <Entry href={`${base}/settings/account`} label={t('settings')}>
        <Settings {...icon} />
      </Entry>
    </div>
  )
}

/** The page with its sidebar (a top bar below 640 px). The sidebar has the entries that the person may open. */
export function Shell({
  organization,
  organizations,
  mayStatus,
  failingChannels,
  liveId,
  children,
}: {
  organization: ShellOrganization
  organizations: ShellOrganization[]
  mayStatus: boolean
  /** Number of notification channels that fail. */
  failingChannels: number
  /** Id of the newest change when the document was rendered. The live stream continues after it. */
  liveId: number
  children: ReactNode
}) {
  const t = useTranslations('shell')
  const people = useTranslations('people')
  const router = useRouter()
  const [helpOpen, setHelpOpen] = useState(false)
  const [palette, setPalette] = useState<readonly Choice[] | undefined>()
  const offered = usePaletteList()
  const base = `/o/${organization.slug}`
  useShellKeys(
    base,
    () => setPalette(offered()),
    () => setHelpOpen(true),
  )
  return (
    <LiveProvider key={organization.slug} organization={organization.slug} since={liveId}>
      <div className="shell">
        <a href="#content" className="visually-hidden">
          {t('skip')}
        </a>
        <nav className="shell-side" aria-label={t('navigation')}>
          <Link href={`${base}/issues`} className="shell-mark" aria-label="Mishap">
            <Logo />
            <span>Mishap</span>
          </Link>
          {organizations.length > 1 ? (
            <select
              className="input shell-organization mb-2"
              aria-label={t('organization')}
              value={organization.slug}
              onChange={(event) => router.push(`/o/${event.target.value}/issues`)}
            >
              {organizations.map((choice) => (
                <option key={choice.slug} value={choice.slug}>
                  {choice.name}
                </option>
              ))}
            </select>
          ) : null}
          <Entry href={`${base}/issues`} label={t('issues')}>
            <Inbox {...icon} />
          </Entry>
          <Entry href={`${base}/releases`} label={t('releases')}>
            <Tag {...icon} />
          </Entry>
          <Entry href={`${base}/projects`} label={t('projects')} also={[`${base}/settings/projects`]}>
            <Boxes {...icon} />
          </Entry>
          <Entry href={`${base}/feedback`} label={people('feedback')}>
            <MessageSquare {...icon} />
          </Entry>
          {mayStatus ? (
            <Entry href={`${base}/status`} label={t('status')}>
              <Activity {...icon} />
            </Entry>
          ) : null}
          <NotificationsEntry base={base} failing={failingChannels} />
          <Entry href={`${base}/settings/members`} label={people('members')} also={[`${base}/settings/organization`]}>
            <Users {...icon} />
          </Entry>
          <ShellFoot base={base} showPalette={() => setPalette(offered())} showKeys={() => setHelpOpen(true)} />
        </nav>
        <main id="content" className="shell-main">
          <EngineBar />
          {children}
        </main>
      </div>
      {palette ? <Palette actions={palette} onClose={() => setPalette(undefined)} /> : null}
      {helpOpen ? <KeyHelp onClose={() => setHelpOpen(false)} /> : null}
    </LiveProvider>
  )
}
