// The Application that `homeostat up REPO` stands for: named after the repository, synced and healed automatically unless
// told otherwise. It is applied at every start, so that it follows the options; what people changed in other fields
// (a rollback switches `automated.enabled` off) stays.

import { basename } from 'node:path'
import { isAlreadyExists } from '#api'
import type { Client } from '#client'
import { Application, AppProject, Namespace } from '#kinds'
import { argocdNamespace, builtInServer } from './application/names.ts'
import { defaultProject } from './projects/project.ts'

const fieldManager = 'homeostat'

export interface RootOptions {
  /** An absolute path or a URL. */
  readonly location: string
  /** Branch, tag or commit; default HEAD. */
  readonly revision?: string
  /** Folder of the repository that is synced; default its root. */
  readonly path?: string
  /** Leave automated sync off. */
  readonly manual: boolean
}

export function rootApplication({ location, revision, path, manual }: RootOptions): Application {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: nameOf(location), namespace: argocdNamespace },
    spec: {
      project: 'default',
      source: { repoURL: location, path: path ?? '.', targetRevision: revision ?? 'HEAD' },
      destination: { server: builtInServer, namespace: 'default' },
      ...(manual ? {} : { syncPolicy: { automated: { prune: true, selfHeal: true } } }),
    },
  }
}

/** The last part of a path or URL as a name that an object may have. */
export function nameOf(location: string): string {
  const last = basename(location.replace(/[/\\]+$/, '').replace(/\.git$/i, ''))
  const name = last
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .slice(0, 63)
    .replace(/^-+|-+$/g, '')
  return name === '' ? 'root' : name
}

export async function applyRootApplication(client: Client, repository: RootOptions): Promise<void> {
  const namespace: Namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: argocdNamespace }, spec: {} }
  await client.create(Namespace, namespace, { fieldManager }).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error
  })
  // Before what names it, so that nobody is told that it is missing.
  await client.create(AppProject, defaultProject, { fieldManager }).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error
  })
  await client.apply(Application, rootApplication(repository), { fieldManager, force: true })
}
