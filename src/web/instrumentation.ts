import type { App } from './handle.ts'

type Failure = Error & { digest?: string }
type RequestLine = { path: string; method: string; headers: Record<string, string | string[] | undefined> }
type Where = { routeType: string; routePath: string; renderSource?: string }

/** Next calls this once. Process app has already put its parts on globalThis. */
export function register(): void {}

/** Next calls this for each error of a page, route or action. Reports it to Mishap's own project for /d/[digest]. */
export async function onRequestError(error: unknown, request: RequestLine, where: Where): Promise<void> {
  const app = (globalThis as { [key: symbol]: App | undefined })[Symbol.for('mishap.app')]
  if (!app || !(error instanceof Error)) return
  const { sendServerError } = await import('./server/server-report.ts')
  await sendServerError(app, error as Failure, request, where)
}
