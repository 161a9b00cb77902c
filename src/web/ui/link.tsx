'use client'
import NextLink from 'next/link'
import { useRouter } from 'next/navigation'
import { type ComponentProps, type FocusEvent, type PointerEvent, type TouchEvent, useRef } from 'react'
import { mayPrefetch } from '../client/nav.ts'

type LinkProps = Omit<ComponentProps<typeof NextLink>, 'href' | 'prefetch' | 'legacyBehavior'> & { href: string }

/**
 * A link between Mishap's pages. Prefetches its page once on hover, focus or touch, except in data saver mode. Next's
 * own link prefetches every visible page: six requests for the sidebar alone.
 */
export function Link({ href, onPointerEnter, onFocus, onTouchStart, ...rest }: LinkProps) {
  const router = useRouter()
  const prefetched = useRef('')
  const prefetch = () => {
    if (prefetched.current === href || !mayPrefetch(navigator)) return
    prefetched.current = href
    router.prefetch(href)
  }
  return (
    <NextLink
      href={href}
      prefetch={false}
      onPointerEnter={(event: PointerEvent<HTMLAnchorElement>) => {
        onPointerEnter?.(event)
        prefetch()
      }}
      onFocus={(event: FocusEvent<HTMLAnchorElement>) => {
        onFocus?.(event)
        prefetch()
      }}
      onTouchStart={(event: TouchEvent<HTMLAnchorElement>) => {
        onTouchStart?.(event)
        prefetch()
      }}
      {...rest}
    />
  )
}
