import { answerIssue, textAnswer } from '../../issue-answer.ts'

/** JSON of issue and event, for `X.json` and `X/events/Y.json`. `?form=stored|received`: the scrubbed payload. */
export async function GET(
  request: Request,
  { params }: { params: Promise<{ org: string; id: string; event?: string[] }> },
): Promise<Response> {
  const { org, id, event: path } = await params
  return answerIssue({ org, id, path }, request, ({ issue, event, stored, received }, search) => {
    const form = search.get('form')
    if (form === 'stored') return textAnswer(stored, 'application/json')
    if (form === 'received') return received === undefined ? undefined : textAnswer(received, 'application/json')
    return textAnswer(JSON.stringify({ issue, event }), 'application/json')
  })
}
