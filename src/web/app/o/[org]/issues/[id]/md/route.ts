import { toMarkdown } from '../../../../../../../query/markdown.ts'
import { answerIssue, textAnswer } from '../../../../../../issues/answer.ts'

/** The issue and one event (`?event=`, latest without) as Markdown; `issues/X.md` is rewritten to here. */
export async function GET(
  request: Request,
  { params }: { params: Promise<{ org: string; id: string }> },
): Promise<Response> {
  const { org, id } = await params
  return answerIssue(org, id, request, ({ issue, event }) => textAnswer(toMarkdown(issue, event), 'text/markdown'))
}
