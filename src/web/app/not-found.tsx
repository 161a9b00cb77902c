import { NotFoundScreen } from '../ui/not-found-screen.tsx'

/** Status 404, also for what the person may not see. */
export default function NotFoundPage() {
  return (
    <main>
      <NotFoundScreen />
    </main>
  )
}
