import { NotFoundScreen } from '../ui/not-found-screen.tsx'

/** Status 404, also for pages that the person may not see. */
export default function NotFoundPage() {
  return (
    <main>
      <NotFoundScreen />
    </main>
  )
}
