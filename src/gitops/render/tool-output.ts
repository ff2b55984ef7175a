// The manifests that a tool wrote, with the file that each came from where the tool says so.

import type { RenderProblem } from './directory.ts'
import { readManifestStream } from './manifest-file.ts'
import type { Content, RenderedObject } from './plan.ts'
import { splitDocuments } from './yaml-stream.ts'

/** `fileOf` names the file of a document; lines are of the tool's output, so they are not told. */
export function readOutput(output: string, fileOf: (document: string) => string): Content {
  const objects: RenderedObject[] = []
  const problems: RenderProblem[] = []
  for (const document of splitDocuments(output)) {
    const file = fileOf(document.text)
    if (document.problem !== undefined) {
      problems.push({ file, message: document.problem })
      continue
    }
    const content = readManifestStream(document.text)
    for (const { object } of content.objects) objects.push({ object, file, line: 1 })
    for (const { message } of content.problems) problems.push({ file, message })
  }
  return { objects, problems }
}
