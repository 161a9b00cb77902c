'use client'
import { ErrorScreen, type PageError } from '../../../ui/error-screen.tsx'

/** Replaces a failed page inside the shell. `retry` loads it from the server again, which `reset` does not. */
export default function ErrorPage({ error, retry }: { error: PageError; retry: () => void }) {
  return <ErrorScreen error={error} retry={retry} where="error.tsx" />
}
