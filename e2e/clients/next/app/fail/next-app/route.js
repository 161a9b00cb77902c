export const dynamic = 'force-dynamic'

export function GET() {
  throw new TypeError('server failure')
}
