import { toMarkdown } from '../../../../../../../../query/issues/markdown.ts'
import { answerIssue, textAnswer } from '../../issue-answer.ts'

/** Issue and event as Markdown. `issues/X.md` and `issues/X/events/Y.md` are rewritten to this route. */
export async function GET(
  request: Request,
  { params }: { params: Promise<{ org: string; id: string; event?: string[] }> },
): Promise<Response> {
  const { org, id, event: path } = await params
  return answerIssue({ org, id, path }, request, async ({ issue, event, linesOfTrace }) =>
    textAnswer(toMarkdown(issue, event, await linesOfTrace()), 'text/markdown'),
  )
}
