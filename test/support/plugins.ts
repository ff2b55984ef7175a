// Config management plug-ins of a test, given as the documents that an operator writes.

import { type Plugin, readPlugins } from '#gitops'

export function pluginsIn(documents: readonly object[]): readonly Plugin[] {
  if (documents.length === 0) return []
  const { plugins, faults } = readPlugins(documents.map((each) => JSON.stringify(each)).join('\n---\n'))
  if (faults.length > 0) throw new Error(faults.join('\n'))
  return plugins
}

export const plugin = (name: string, spec: object): object => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'ConfigManagementPlugin',
  metadata: { name },
  spec,
})

export const sh = (script: string) => ({ command: ['sh', '-c'], args: [script] })
