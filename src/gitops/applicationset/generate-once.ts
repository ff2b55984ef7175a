// What an ApplicationSet would make, for whoever wants to know before it is there. Nothing is followed or remembered.

import { Followers, messageOf } from '#gitops/source'
import type { Application, ApplicationSet } from '#kinds'
import { applicationsOf } from './applications.ts'
import { generateAll, isTold, type Looking, type Outside } from './generate-all.ts'
import { Answers } from './generators/answers.ts'

/** The set cannot be generated: what is the matter with it, or with what it reads. */
export class GenerationFault extends Error {
  override readonly name = 'GenerationFault'
}

/** Throws GenerationFault. */
export async function generateOnce(
  outside: Omit<Outside, 'followers'>,
  set: ApplicationSet,
  looking: Looking,
): Promise<readonly Application[]> {
  const answers = new Answers()
  answers.begin()
  try {
    return applicationsOf(set, await generateAll({ ...outside, followers: new Followers() }, set, { looking, answers }))
  } catch (error) {
    if (isTold(error)) throw new GenerationFault(messageOf(error), { cause: error })
    throw error
  }
}
