import { takeAll } from '../../stock.js'

export const dynamic = 'force-dynamic'

export function GET() {
  return Response.json(takeAll(['kettle']))
}
