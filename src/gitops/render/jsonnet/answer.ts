// The thread's side: loaded in it alone.

import { documentsOf, type Frame, type Import, importsOf, JsonnetFault, placeText } from '#gitops/jsonnet'
import { type Answer, type Fault, type ProgramFiles, type ProgramText, type Question, targetKey } from './question.ts'
import { readYamlStream } from './yaml-stream.ts'

/** A program of the size of kube-prometheus takes less than a million. */
const steps = 20_000_000

export const answer = (question: Question): Answer =>
  question.type === 'imports'
    ? { type: 'imports', imports: question.texts.map(importsIn) }
    : evaluated(question.program)

function importsIn({ path, bytes }: ProgramText): readonly Import[] {
  try {
    return importsOf(path, new TextDecoder().decode(bytes))
  } catch (error) {
    // What is wrong is told when the file is evaluated, if ever.
    if (error instanceof JsonnetFault) return []
    throw error
  }
}

function evaluated(program: ProgramFiles): Answer {
  const target = (from: string, path: string) =>
    program.targets.get(targetKey(from, path)) ?? { problem: `couldn't open import ${JSON.stringify(path)}` }
  try {
    const documents = documentsOf({ ...program, target }, { readers: { yaml: readYamlStream }, limits: { steps } })
    return { type: 'documents', documents }
  } catch (error) {
    if (error instanceof JsonnetFault) return { type: 'faulty', problem: faultOf(error) }
    throw error
  }
}

const maxFrames = 20

const faultOf = ({ message, frames }: JsonnetFault): Fault => ({
  message,
  frames: frames.slice(0, maxFrames).map(frameOf),
})

function frameOf({ place, context }: Frame): Fault['frames'][number] {
  const { line, column } = place.source.position(place.begin)
  return { path: place.source.path, line, column, text: `${placeText(place)} ${context}`.trim() }
}
