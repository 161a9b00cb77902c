'use client'
import { ErrorScreen, type PageError } from '../ui/error-screen.tsx'

/** Shown where a page of this segment broke; the frame around it stands. `retry` asks the server again, which `reset` does not. */
export default function ErrorPage({ error, retry }: { error: PageError; retry: () => void }) {
  return <ErrorScreen error={error} retry={retry} where="error.tsx" />
}
