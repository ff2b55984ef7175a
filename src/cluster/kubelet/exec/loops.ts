// The loops of a shell, and how `break` and `continue` leave them: as an exception that they catch.

import type { Process } from './process.ts'

export class Jump extends Error {
  readonly kind: 'break' | 'continue'
  readonly loops: number
  constructor(kind: 'break' | 'continue', loops: number) {
    super(kind)
    this.kind = kind
    this.loops = loops
  }
}

/** What `break` and `continue` do. */
export const jump =
  (kind: Jump['kind']) =>
  async ({ args }: Process): Promise<number> => {
    throw new Jump(kind, Math.max(1, Number(args[1] ?? 1) || 1))
  }

/** A turn takes some time, however little it does: nobody is kept waiting by a loop without an end. */
const turnMs = 1

/** Runs `body` again and again, for as long as it goes on. */
export async function runLoop(
  { signal, around }: Omit<Process, 'args'>,
  body: () => Promise<number>,
  goesOn: () => Promise<boolean>,
): Promise<number> {
  let code = 0
  while (await goesOn()) {
    signal.throwIfAborted()
    try {
      code = await body()
    } catch (error) {
      if (!(error instanceof Jump)) throw error
      code = 0
      if (error.loops > 1) throw new Jump(error.kind, error.loops - 1)
      if (error.kind === 'break') break
    }
    await around.sleep(turnMs, signal)
  }
  return code
}
