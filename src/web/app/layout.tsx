import '../styles/app.css'
import type { Metadata, Viewport } from 'next'
import { cookies, headers } from 'next/headers'
import { NextIntlClientProvider } from 'next-intl'
import { getLocale } from 'next-intl/server'
import type { ReactNode } from 'react'
import { BOOT } from '../client/boot-script.ts'
import { codeFont, textFont } from '../fonts.ts'
import { app } from '../handle.ts'
import { Providers } from '../ui/providers.tsx'

// Inline, because Chromium requests an icon URL again for each link to a hash.
const icon = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 20" fill="none"><path d="M3.2 5.2C5.6 6.4 8.4 9 10 16.6 11.6 9 14.4 6.4 16.8 5.2" stroke="#0390a4" stroke-width="2.4" stroke-linecap="round"/><circle cx="3" cy="4.6" r="2.1" fill="#0390a4"/></svg>',
)}`
export const metadata: Metadata = {
  title: { default: 'Mishap', template: '%s · Mishap' },
  robots: { index: false },
  icons: { icon: { url: icon, type: 'image/svg+xml' } },
}
export const viewport: Viewport = { width: 'device-width', initialScale: 1 }

/** The root layout. It reads request headers, which makes each page dynamic, so that scripts get their nonce. */
export default async function RootLayout({ children }: { children: ReactNode }) {
  const nonce = (await headers()).get('x-nonce') ?? undefined
  const chosen = (await cookies()).get('theme')?.value
  const theme = chosen === 'light' || chosen === 'dark' ? chosen : undefined
  const here = app()
  return (
    <html
      lang={await getLocale()}
      data-theme={theme}
      className={`${textFont.variable} ${codeFont.variable}`}
      suppressHydrationWarning
    >
      <head>
        <meta name="mishap-version" content={here.version} />
        <meta name="mishap-dsn" content={(await here.selfDsn()) ?? ''} />
        <meta name="mishap-traces" content={here.takeSelfTrace() ? 'yes' : ''} />
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
