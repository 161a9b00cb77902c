import { takeAll } from '../../stock.js'

export const dynamic = 'force-dynamic'

export function GET() {
  return Response.json(takeAll(['kettle']))
}

// A second use, so that no bundler makes takeAll a part of its caller.
export async function POST(request) {
  return Response.json(takeAll(await request.json()))
}
