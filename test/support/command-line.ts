// A command line run in this process: what it prints, and how it ends.

import { runCli } from '#cli'

export interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

export interface Surroundings {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
}

export async function runLine(args: readonly string[], { cwd, env = {} }: Surroundings): Promise<Ran> {
  const out: string[] = []
  const err: string[] = []
  const code = await runCli(args, {
    out: (text) => void out.push(text),
    err: (text) => void err.push(text),
    interactive: false,
    env,
    cwd,
  })
  return { code, out: out.join('\n'), err: err.join('\n') }
}
