'use client'
import { onlineManager, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { NuqsAdapter } from 'nuqs/adapters/next/app'
import { type ReactNode, useEffect, useState } from 'react'
import { ApiError } from '../client/api.ts'
import { isThere } from '../client/connection.ts'
import { rememberZone } from '../client/zone.ts'
import { ConnectionBar, NavigationBar } from './connection-bar.tsx'
import { Hydrated } from './hydrated.tsx'
import { KeyProvider } from './keys/keys.tsx'
import { PaletteActions } from './palette-actions.tsx'
import { NowProvider } from './time.tsx'
import { ToastProvider } from './toast.tsx'

function createClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5000,
        // Retry network and server errors only: the API would reject the same request again.
        retry: (tries, error) => tries < 2 && !(error instanceof ApiError && error.status >= 400 && error.status < 500),
        placeholderData: (before: unknown) => before,
      },
    },
  })
}

/** Pauses queries while Mishap does not answer. They continue automatically. */
function followConnection(): void {
  onlineManager.setEventListener((setOnline) => {
    const connection = window.mishap?.connection
    const follow = () => setOnline(!connection || isThere(connection.status()))
    follow()
    return connection?.listen(follow)
  })
}

/** Tells the server the browser's time zone, and asks for the page again if the server did not know it. */
function ZoneMemory() {
  const router = useRouter()
  useEffect(() => {
    if (rememberZone()) router.refresh()
  }, [router])
  return null
}

/** The providers of every page: server state, URL state, toasts, keys, current time. */
export function Providers({ nowMs, children }: { nowMs: number; children: ReactNode }) {
  const [client] = useState(createClient)
  useEffect(followConnection, [])
  return (
    <NuqsAdapter>
      <QueryClientProvider client={client}>
        <NowProvider startMs={nowMs}>
          <KeyProvider>
            <ToastProvider>
              <Hydrated />
              <ZoneMemory />
              <ConnectionBar />
              <NavigationBar />
              <PaletteActions>{children}</PaletteActions>
            </ToastProvider>
          </KeyProvider>
        </NowProvider>
      </QueryClientProvider>
    </NuqsAdapter>
  )
}
