import '../styles/app.css'
import type { Metadata, Viewport } from 'next'
import { cookies, headers } from 'next/headers'
import { NextIntlClientProvider } from 'next-intl'
import { getLocale } from 'next-intl/server'
import type { ReactNode } from 'react'
import { BOOT } from '../boot.ts'
import { app } from '../handle.ts'
import { Providers } from '../ui/providers.tsx'

export const metadata: Metadata = { title: { default: 'Mishap', template: '%s · Mishap' }, robots: { index: false } }
export const viewport: Viewport = { width: 'device-width', initialScale: 1 }

/** The frame of every page. Reading the request's headers makes every page dynamic, so that each script carries its nonce. */
export default async function RootLayout({ children }: { children: ReactNode }) {
  const nonce = (await headers()).get('x-nonce') ?? undefined
  const chosen = (await cookies()).get('theme')?.value
  const theme = chosen === 'light' || chosen === 'dark' ? chosen : undefined
  const here = app()
  return (
    <html lang={await getLocale()} data-theme={theme} suppressHydrationWarning>
      <head>
        <meta name="mishap-version" content={here.version} />
        <meta name="mishap-dsn" content={here.selfDsn() ?? ''} />
      </head>
      <body>
        <script nonce={nonce} suppressHydrationWarning>
          {BOOT}
        </script>
        <NextIntlClientProvider>
          <Providers nowMs={here.clock.now()}>{children}</Providers>
        </NextIntlClientProvider>
      </body>
    </html>
  )
}
