// What a lab tells of orphaned resources.

import type { ConfigMap } from '#kinds'
import type { ObjectMeta } from '#objects'
import type { Lab } from './reconciler.ts'

/** The warning on an application, if there is one. */
export const orphanWarning = async (lab: Lab, name: string): Promise<string | undefined> =>
  (await lab.app(name))?.status?.conditions?.find(({ type }) => type === 'OrphanedResourceWarning')?.message

/** `KIND NAME` of each that the application sees. */
export async function orphansOf(lab: Lab, name: string): Promise<readonly string[]> {
  const app = await lab.app(name)
  if (app === undefined) return []
  return lab.gitops.orphanedResources(app).map(({ kind, metadata }) => `${kind} ${metadata.name}`)
}

/** One that git does not know. */
export const strayMap = (name: string, more: Partial<ObjectMeta> = {}): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'shop', name, ...more },
})
