// Which kind of source a folder is: what the Application says, else what the folder holds. Argo CD's discovery, but for that
// of plug-ins, which comes in between.

import type { SourceFile } from '#gitops/source'
import type { ApplicationSource, DirectorySource } from '#kinds'
import type { RenderProblem } from './directory.ts'
import { kustomizationNames } from './kustomize/references.ts'

export type SourceType = 'Directory' | 'Helm' | 'Kustomize' | 'Plugin'

/** A block whose fields all say nothing is none. */
const isSet = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.values(value).some((field) => Boolean(field))

/** Options of Jsonnet say nothing of the others' files. */
const isDirectorySet = ({ jsonnet, ...rest }: DirectorySource): boolean =>
  isSet(rest) || Object.values(jsonnet ?? {}).some((list) => Array.isArray(list) && list.length > 0)

/** What the Application says; undefined when it says nothing. */
export function explicitType(source: ApplicationSource): SourceType | RenderProblem | undefined {
  // An empty block asks for the plug-in that finds its files.
  const hasPlugin = source.plugin !== undefined && source.plugin !== null
  const types: SourceType[] = []
  if (isSet(source.kustomize)) types.push('Kustomize')
  const isChart = (source.chart ?? '') !== '' && !hasPlugin
  if (isSet(source.helm) || isChart) types.push('Helm')
  if (source.directory !== undefined && isDirectorySet(source.directory)) types.push('Directory')
  if (hasPlugin) types.push('Plugin')
  if (types.length > 1) return { message: `multiple application sources defined: ${types.join(',')}` }
  return types[0]
}

/** What a folder holds, by the files in it. */
export function discoverType(files: readonly SourceFile[]): SourceType {
  const names = new Set(files.map((file) => file.path))
  if (names.has('Chart.yaml')) return 'Helm'
  return kustomizationNames.some((name) => names.has(name)) ? 'Kustomize' : 'Directory'
}
