import { NextResponse } from 'next/server'

// An old tab, made at the press of a button: with the cookie "gone" the server answers as one of a newer deployment does,
// which has neither the files nor the server actions of the older one.

export default function proxy(request) {
  const gone = request.cookies.get('gone')?.value
  const { pathname } = request.nextUrl
  if (gone === 'chunks' && pathname.startsWith('/_next/static/chunks/')) return new NextResponse(null, { status: 404 })
  if (gone === 'actions' && request.headers.has('next-action')) {
    const headers = new Headers(request.headers)
    headers.set('next-action', '0'.repeat(42))
    return NextResponse.next({ request: { headers } })
  }
  return NextResponse.next()
}
