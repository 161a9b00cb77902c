'use client'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { NuqsAdapter } from 'nuqs/adapters/next/app'
import { type ReactNode, useState } from 'react'
import { ApiError } from '../api.ts'
import { Hydrated } from './hydrated.tsx'
import { KeyProvider } from './keys.tsx'
import { OfflineBar } from './offline-bar.tsx'
import { PaletteActions } from './palette-actions.tsx'
import { NowProvider } from './time.tsx'
import { ToastProvider } from './toast.tsx'

function makeClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5000,
        // What the API refused stays refused; only silence and a server's trouble are worth another try.
        retry: (tries, error) => tries < 2 && !(error instanceof ApiError && error.status >= 400 && error.status < 500),
        placeholderData: (before: unknown) => before,
      },
    },
  })
}

/** Everything that stands around every page: server state, URL state, toasts, keys, the shared now. */
export function Providers({ nowMs, children }: { nowMs: number; children: ReactNode }) {
  const [client] = useState(makeClient)
  return (
    <NuqsAdapter>
      <QueryClientProvider client={client}>
        <NowProvider startMs={nowMs}>
          <KeyProvider>
            <ToastProvider>
              <Hydrated />
              <OfflineBar />
              <PaletteActions>{children}</PaletteActions>
            </ToastProvider>
          </KeyProvider>
        </NowProvider>
      </QueryClientProvider>
    </NuqsAdapter>
  )
}
