// The objects of a checkout that are of built-in kinds, with the namespaces that they are in: what somebody wrote for a
// cluster of his own, rather than what was drawn.

import { createRenderer } from '#gitops/render'
import { createSources } from '#gitops/source'
import { createTools } from '#gitops/tools'
import { resourceTable } from '#kinds'
import type { AnyObject } from '#objects'
import { systemWorld } from '#world'

/** Objects by identity: where a folder says one twice, the last counts. */
export async function readCorpus(repository: string, path: string): Promise<readonly AnyObject[]> {
  const world = systemWorld()
  const sources = createSources({ world, directory: '/nonexistent', local: [{ path: repository }] })
  await sources.open()
  const environment = { PATH: process.env['PATH'] }
  const tools = createTools({ world, directory: '/nonexistent', environment, offline: true })
  const { objects, problems } = await createRenderer({ world, tools }).render({
    snapshot: await sources.repository(repository).snapshot(''),
    path,
    source: { repoURL: repository, path },
    environment: {
      app: { name: 'web', project: 'default', namespace: 'web' },
      capabilities: { kubeVersion: '1.34.0', apiVersions: [] },
    },
  })
  for (const { file, message } of problems) console.log(`  ${file}: ${message}`)
  const known = objects.map(({ object }) => object).filter(isBuiltIn)
  const missing = new Set(known.flatMap(({ metadata: { namespace } }) => namespace ?? []))
  for (const { kind, metadata } of known) if (kind === 'Namespace') missing.delete(metadata.name ?? '')
  const namespaces = [...missing].map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }))
  return [...new Map([...namespaces, ...known].map((object) => [identity(object), object])).values()]
}

const isBuiltIn = ({ apiVersion, kind }: AnyObject): boolean =>
  resourceTable.some(
    (each) => each.kind === kind && apiVersion === [each.group, each.version].filter(Boolean).join('/'),
  )

const identity = ({ kind, metadata }: AnyObject): string => `${kind} ${metadata.namespace} ${metadata.name}`
