// Which of the files that kustomize was given are no YAML, or say a key twice: it often names neither file nor line of such a
// fault. Asked for when it has failed.

import { composeYaml, SyntaxFault } from '#objects'
import type { RenderProblem } from '../directory.ts'
import type { TreeFile } from '../tree.ts'
import { DecodeFault, decodeText, positionAt, splitDocuments } from '../yaml-stream.ts'

const maxFiles = 200
const maxTold = 10
/** Every key is held against all others. */
const maxForKeys = 64 * 1024

/** Files are named from the folder `path`. */
export async function findBrokenFiles(files: Iterable<TreeFile>, path: string): Promise<readonly RenderProblem[]> {
  const found: RenderProblem[] = []
  let looked = 0
  for (const file of files) {
    if (!/(\.ya?ml|(^|\/)Kustomization)$/.test(file.path) || /(^|\/)templates\//.test(file.path)) continue
    looked += 1
    if (looked > maxFiles || found.length >= maxTold) break
    const fault = faultIn(await file.read())
    if (fault !== undefined) found.push({ file: relative(path, file.path), ...fault })
  }
  return found
}

function faultIn(bytes: Uint8Array): Omit<RenderProblem, 'file'> | undefined {
  try {
    for (const { text, line, problem } of splitDocuments(decodeText(bytes))) {
      if (problem !== undefined) return { line: line + 1, column: 1, message: problem }
      const options = { version: '1.1', prettyErrors: false, uniqueKeys: text.length <= maxForKeys } as const
      const error = composeYaml(text, options)[0]?.errors[0]
      if (error === undefined) continue
      const at = positionAt(text, error.pos[0])
      return { line: at.line + line, column: at.column, message: error.message }
    }
    return undefined
  } catch (error) {
    if (error instanceof DecodeFault || error instanceof SyntaxFault) return { message: error.message }
    throw error
  }
}

/** With `..` where it must be. */
function relative(path: string, file: string): string {
  const from = path === '' ? [] : path.split('/')
  const to = file.split('/')
  let same = 0
  while (same < from.length && from[same] === to[same]) same += 1
  return [...from.slice(same).map(() => '..'), ...to.slice(same)].join('/')
}
