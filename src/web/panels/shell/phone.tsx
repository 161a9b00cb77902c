'use client'
import { Ellipsis, Menu, Search } from 'lucide-react'
import { usePathname } from 'next/navigation'
import { useTranslations } from 'next-intl'
import type { MouseEvent, ReactNode } from 'react'
import type { RestIssueCounts } from '../../../contract/search.ts'
import { Link } from '../../ui/link.tsx'
import { Logo } from '../../ui/logo.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import type { Frame } from './frame.ts'
import { useSections } from './sections.ts'
import { currentOf } from './sidebar.tsx'

const icon = { size: 18, strokeWidth: 1.75, 'aria-hidden': true } as const

/** Opens the menu. Without scripts the link shows it by its hash. */
function MenuLink({
  className,
  label,
  isOpen,
  show,
  children,
}: {
  className: string
  label?: string
  isOpen: boolean
  show: () => void
  children: ReactNode
}) {
  const open = (event: MouseEvent) => {
    event.preventDefault()
    show()
  }
  return (
    // biome-ignore lint/a11y/useValidAnchor: a link, because without scripts its hash shows the menu
    <a href="#menu" className={className} aria-label={label} aria-expanded={isOpen} onClick={open}>
      {children}
    </a>
  )
}

/** Below 720 px: menu, organization and search at the top. */
export function PhoneHead({
  frame,
  isOpen,
  showMenu,
  showPalette,
}: {
  frame: Frame
  isOpen: boolean
  showMenu: () => void
  showPalette: () => void
}) {
  const t = useTranslations('frame')
  return (
    <header className="phone-head">
      <MenuLink className="phone-button" label={t('menu')} isOpen={isOpen} show={showMenu}>
        <Menu {...icon} />
      </MenuLink>
      <Logo sizePx={16} />
      <span className="shell-text">
        <PlainText text={frame.organization.name} charactersMax={64} />
      </span>
      <button type="button" className="phone-button" onClick={showPalette} aria-label={t('jump')}>
        <Search {...icon} />
      </button>
    </header>
  )
}

/** Below 720 px: the main sections as a bar of tabs with words. "More" opens the menu, which has all of them. */
export function TabBar({
  frame,
  counts,
  remembered,
  isOpen,
  showMenu,
}: {
  frame: Frame
  counts: RestIssueCounts | undefined
  remembered: readonly string[]
  isOpen: boolean
  showMenu: () => void
}) {
  const t = useTranslations('frame')
  const path = usePathname()
  const tabs = useSections(frame, counts, remembered).filter(({ isTab }) => isTab)
  return (
    <nav className="phone-tabs" aria-label={t('tabs')}>
      {tabs.map(({ href, isExact, label, Icon, count, search }) => (
        <Link
          key={href}
          href={href + search}
          className="phone-tab"
          aria-current={currentOf(path, href, { exact: isExact }) && 'page'}
        >
          <Icon {...icon} />
          {count ? <span className="phone-count">{count > 999 ? '999+' : count}</span> : null}
          <span>{label}</span>
        </Link>
      ))}
      <MenuLink className="phone-tab" isOpen={isOpen} show={showMenu}>
        <Ellipsis {...icon} />
        <span>{t('more')}</span>
      </MenuLink>
    </nav>
  )
}
