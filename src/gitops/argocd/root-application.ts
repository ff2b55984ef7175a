// The Application that `homeostat up REPO` stands for: named after the repository, synced and healed automatically unless
// told otherwise. It is applied at every start, so that it follows the options; what people changed in other fields
// (a rollback switches `automated.enabled` off) stays.

import { stat } from 'node:fs/promises'
import { basename, isAbsolute } from 'node:path'
import { isAlreadyExists } from '#api'
import type { Client } from '#client'
import { argocdNamespace, builtInServer, type LocalSource } from '#gitops'
import { Application, Namespace } from '#kinds'
import { DaemonError, type RepositoryOptions } from './options.ts'

const fieldManager = 'homeostat'

/** The checkout on this machine that the reconciler may use; none for a remote. Throws when there is nothing. */
export async function localSourceOf(repository: RepositoryOptions | undefined): Promise<readonly LocalSource[]> {
  if (repository === undefined) return []
  const { location, worktree } = repository
  if (!isAbsolute(location)) {
    if (worktree) throw new DaemonError(`${location} is no folder of this machine: --worktree needs one`)
    return []
  }
  const found = await stat(location).catch(() => undefined)
  if (found === undefined) throw new DaemonError(`there is no repository at ${location}`)
  if (!found.isDirectory()) throw new DaemonError(`${location} is a file; give a repository or a folder of manifests`)
  return [{ path: location, worktree }]
}

export function rootApplication({ location, revision, path, manual }: RepositoryOptions): Application {
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

export async function applyRootApplication(client: Client, repository: RepositoryOptions): Promise<void> {
  const namespace: Namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: argocdNamespace }, spec: {} }
  await client.create(Namespace, namespace, { fieldManager }).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error
  })
  await client.apply(Application, rootApplication(repository), { fieldManager, force: true })
}
