/** The target of a project key's `dsn.cdn`. There is no loader script yet, so the response explains that. */
export function GET(): Response {
  return new Response(
    'Mishap has no loader script. Install the browser SDK from npm, or load its bundle, and give it the public DSN.\n',
    {
      status: 404,
      headers: {
        'content-type': 'text/plain; charset=utf-8',
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
      },
    },
  )
}
