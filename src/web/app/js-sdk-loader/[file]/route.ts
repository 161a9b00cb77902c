/** `dsn.cdn` of a project key leads here. There is no loader script yet, and a page that asks for one must learn that. */
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
