/** One instruction of a Dockerfile, with continuation lines joined. */
type Step = { name: string; rest: string }
export type Stage = { from: string; as: string; steps: Step[] }

/** Parses a Dockerfile into its stages. Throws if an instruction comes before the first FROM. */
export function stagesOf(text: string): Stage[] {
  const lines = text
    .split('\n')
    .filter((line) => !line.trimStart().startsWith('#'))
    .join('\n')
    .replace(/\s*\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '')
  const stages: Stage[] = []
  for (const line of lines) {
    const [, name = '', rest = ''] = /^([A-Z]+)\s+(.*)$/.exec(line.trim()) ?? []
    if (name === 'FROM') {
      const [from = '', , as = ''] = rest.split(/\s+/)
      stages.push({ from, as, steps: [] })
      continue
    }
    const stage = stages.at(-1)
    if (!stage) throw new Error(`${line} stands before FROM`)
    stage.steps.push({ name, rest })
  }
  return stages
}

/** The arguments of all instructions with a name in one stage. */
export const named = (stage: Stage | undefined, name: string): string[] =>
  (stage?.steps ?? []).filter((step) => step.name === name).map((step) => step.rest)

/** Parses a COPY into its sources, its target and the stage that it copies from. */
export function copyOf(rest: string): { from: string | undefined; sources: string[]; target: string } {
  const words = rest.split(/\s+/)
  const flag = words[0]?.startsWith('--from=') ? words.shift() : undefined
  return { from: flag?.slice('--from='.length), sources: words.slice(0, -1), target: words.at(-1) ?? '' }
}
