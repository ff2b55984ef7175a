// Jsonnet in a thread of its own: a program that does not end, or that takes all memory, is stopped without keeping anybody
// waiting. Our own evaluator ends after a number of steps, the same on every machine; the thread's limits are behind that.

import type { Import } from '#gitops/jsonnet'
import { createThread, moduleThread } from '#gitops/tools'
import type { World } from '#world'
import type { Answer, Fault, ProgramFiles, ProgramText, Question } from './question.ts'

export interface Jsonnet {
  /** What each of the files imports. Throws ToolFault. */
  imports(texts: readonly ProgramText[]): Promise<readonly (readonly Import[])[]>
  /** Documents as JSON, or what is wrong with the program. Throws ToolFault where it was stopped. */
  evaluate(program: ProgramFiles): Promise<readonly string[] | Fault>
}

const limitMs = 30_000
const memory = { heapMiB: 384, stackMiB: 64 }

export function createJsonnet(world: World): Jsonnet {
  const thread = createThread<Answer>({
    name: 'Jsonnet',
    asked: 'a program',
    limitMs,
    memory,
    ...moduleThread(import.meta.url, './answer'),
  })
  const ask = (question: Question): Promise<Answer> => world.clock.outside('jsonnet', () => thread.ask(question))
  return {
    async imports(texts) {
      const answer = await ask({ type: 'imports', texts })
      return answer.type === 'imports' ? answer.imports : []
    },
    async evaluate(program) {
      const answer = await ask({ type: 'evaluate', program })
      if (answer.type === 'faulty') return answer.problem
      return answer.type === 'documents' ? answer.documents : []
    },
  }
}
