/** Problems that a program can have. */
export type Problem = 'nPlusOne' | 'slowQuery' | 'consecutiveHttp' | 'renderBlocking'

/** A trace that an official SDK sent. `expected`: the problems that its program has. */
export type Recording = {
  program: string
  client: string
  expected: Problem[]
  /** The envelopes of the trace with spans, as received. */
  envelopes: string[]
}
