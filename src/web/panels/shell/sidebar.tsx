'use client'
import { ChevronsUpDown, CircleQuestionMark, Search, Settings } from 'lucide-react'
import { usePathname } from 'next/navigation'
import { useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import type { RestIssueCounts } from '../../../contract/search.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Link } from '../../ui/link.tsx'
import { Logo } from '../../ui/logo.tsx'
import { Menu } from '../../ui/menu.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { FailingChannels } from './failing-channels.tsx'
import type { Frame } from './frame.ts'
import { ProjectList, useOpenView, useSavedViews, ViewList } from './lists.tsx'
import { Pulse } from './pulse.tsx'
import { useSections } from './sections.ts'
import type { useSelection } from './use-selection.ts'

const icon = { size: 15, strokeWidth: 1.75, 'aria-hidden': true } as const

export type ShellActions = { showPalette: () => void; showKeys: () => void; toggleTheme: () => void }

/** The entry is the page on screen (filled), it contains the open saved view (bold), or neither. */
type Current = 'page' | 'section' | undefined

/** Whether the entry with this path is current. `exact`: only its own page counts. `isViewOpen`: a saved view is filled. */
export function currentOf(path: string, href: string, { exact = false, isViewOpen = false } = {}): Current {
  const isHere = path === href || (!exact && path.startsWith(`${href}/`))
  if (!isHere) return undefined
  return isViewOpen ? 'section' : 'page'
}

function Entry({
  href,
  label,
  current,
  count,
  problem,
  children,
}: {
  href: string
  label: string
  current: Current
  count?: number | undefined
  problem?: string | undefined
  children: ReactNode
}) {
  return (
    <Link
      href={href}
      className="shell-entry"
      data-problem={problem !== undefined || undefined}
      aria-current={current === 'page' ? 'page' : undefined}
      data-section={current === 'section' || undefined}
    >
      {children}
      <span className="shell-word">{label}</span>
      {count ? <span className="shell-count">{count > 9999 ? '9999+' : count}</span> : null}
      {problem === undefined ? null : <span className="shell-count">{problem}</span>}
    </Link>
  )
}

/** The organization with a popup: the other organizations of the person, and the pages of this organization. */
function OrganizationSwitch({ organization, organizations }: Frame) {
  const t = useTranslations('frame')
  const base = `/o/${organization.slug}`
  return (
    <Menu
      name={t('switchOrganization', { name: organization.name })}
      className="shell-organization"
      panelClass="shell-organization-panel"
      summary={
        <>
          <Logo />
          <span className="shell-text">
            <PlainText text={organization.name} charactersMax={64} />
          </span>
          <ChevronsUpDown {...icon} size={13} />
        </>
      }
    >
      <p className="menu-heading">{t('organizations')}</p>
      <ul>
        {organizations.map(({ slug, name }) => (
          <li key={slug}>
            <Link
              href={`/o/${slug}`}
              className="menu-row"
              aria-current={slug === organization.slug ? 'true' : undefined}
            >
              <PlainText text={name} charactersMax={64} />
            </Link>
          </li>
        ))}
      </ul>
      <hr className="menu-line" />
      <Link href={`${base}/settings/organization`} className="menu-row">
        {t('organizationSettings')}
      </Link>
    </Menu>
  )
}

function Navigation({
  frame,
  counts,
  remembered,
  isViewOpen,
}: {
  frame: Frame
  counts: RestIssueCounts | undefined
  remembered: readonly string[]
  isViewOpen: boolean
}) {
  const path = usePathname()
  return useSections(frame, counts, remembered).map(({ href, isExact, label, Icon, count, search, problem }) => (
    <Entry
      key={href}
      href={href + search}
      label={label}
      current={currentOf(path, href, { exact: isExact, isViewOpen: isViewOpen && href.endsWith('/issues') })}
      count={count}
      problem={problem}
    >
      <Icon {...icon} />
    </Entry>
  ))
}

/** The foot: status line, user menu, help, settings. */
function Foot({ frame, actions, signOut }: { frame: Frame; actions: ShellActions; signOut: () => Promise<void> }) {
  const t = useTranslations('frame')
  const path = usePathname()
  const base = `/o/${frame.organization.slug}`
  const { name, email } = frame.person
  return (
    <div className="shell-foot">
      <FailingChannels organization={frame.organization.slug} count={frame.failingChannels} />
      <Pulse organization={frame.organization.slug} mayStatus={frame.rights.status} />
      <div className="shell-user">
        <Menu
          name={t('user', { name })}
          className="shell-person"
          panelClass="shell-person-panel"
          summary={
            <>
              <Avatar name={name} />
              <span className="shell-text">
                <PlainText text={name} charactersMax={64} />
              </span>
            </>
          }
        >
          <p className="menu-heading">
            <PlainText text={email} charactersMax={100} />
          </p>
          <Link href={`${base}/settings/account`} className="menu-row">
            {t('settings.profile')}
          </Link>
          <button type="button" className="menu-row" onClick={actions.toggleTheme}>
            {t('theme')}
          </button>
          <button type="button" className="menu-row" data-closes onClick={actions.showKeys}>
            {t('shortcuts')}
          </button>
          <hr className="menu-line" />
          <form action={signOut}>
            <button type="submit" className="menu-row">
              {t('signOut')}
            </button>
          </form>
        </Menu>
        <button
          type="button"
          className="shell-icon"
          onClick={actions.showKeys}
          title={t('help')}
          aria-label={t('help')}
        >
          <CircleQuestionMark {...icon} />
        </button>
        <Link
          href={`${base}/settings`}
          className="shell-icon"
          title={
            frame.failingChannels
              ? t('settings.failing', { count: frame.failingChannels })
              : frame.refusedTrackers
                ? t('settings.refusedTrackers', { count: frame.refusedTrackers })
                : t('settingsLink')
          }
          aria-label={t('settingsLink')}
          aria-current={currentOf(path, `${base}/settings`) && 'page'}
          data-problem={frame.failingChannels + frame.refusedTrackers > 0 || undefined}
        >
          <Settings {...icon} />
        </Link>
      </div>
    </div>
  )
}

/** The sidebar: organization, search, navigation, saved views, projects, status, user. Below 720 px it is a sheet. */
export function Sidebar({
  frame,
  counts,
  selection,
  actions,
  signOut,
  keyHint,
}: {
  frame: Frame
  counts: RestIssueCounts | undefined
  selection: ReturnType<typeof useSelection>
  actions: ShellActions
  signOut: () => Promise<void>
  /** The shown key of the palette. */
  keyHint: string
}) {
  const t = useTranslations('frame')
  const views = useSavedViews(frame)
  const open = useOpenView(frame, views)
  return (
    <>
      <OrganizationSwitch {...frame} />
      <button type="button" className="shell-jump" onClick={actions.showPalette} title={t('jump')}>
        <Search {...icon} size={13} />
        <span className="shell-word">{t('jump')}</span>
        <kbd className="key">{keyHint}</kbd>
      </button>
      <div className="shell-rows">
        <Navigation frame={frame} counts={counts} remembered={selection.remembered} isViewOpen={open !== undefined} />
        <ViewList frame={frame} views={views} open={open} counts={counts} />
        <ProjectList frame={frame} selection={selection} counts={counts} />
      </div>
      <Foot frame={frame} actions={actions} signOut={signOut} />
    </>
  )
}
