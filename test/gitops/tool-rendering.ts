// kustomize and helm where this machine has them, and a repository on disk that is rendered with them, without a cluster.

import { rmSync } from 'node:fs'
import { createRenderer, type RenderRequest } from '#gitops/render'
import { createSources } from '#gitops/source'
import { createTools, type ToolsOptions } from '#gitops/tools'
import type { ApplicationSource } from '#kinds'
import { createRepository, type TestRepository } from './git-repository.ts'
import { renderingWorld as world } from './rendering.ts'

const kubectl = process.env['HOMEOSTAT_TEST_KUBECTL']
const helm = process.env['HOMEOSTAT_TEST_HELM']
export const hasHelm = helm !== undefined
export const hasTools = kubectl !== undefined && hasHelm

/** The tools of this machine; nothing is fetched. */
export const toolsHere: Omit<ToolsOptions, 'world'> = {
  directory: '/nonexistent',
  environment: {},
  offline: true,
  paths: { ...(kubectl === undefined ? {} : { kubectl }), ...(helm === undefined ? {} : { helm }) },
}

export const tools = (more: Partial<ToolsOptions> = {}) => createTools({ world, ...toolsHere, ...more })

const made: TestRepository[] = []

export function removeRepositories(): void {
  for (const repo of made.splice(0)) rmSync(repo.path, { recursive: true, force: true })
}

export async function setup(files: Readonly<Record<string, string>>) {
  const repo = createRepository()
  made.push(repo)
  repo.commit(files)
  const sources = createSources({ world, directory: '/nonexistent', local: [{ path: repo.path }] })
  await sources.open()
  const repository = sources.repository(repo.path)
  const renderer = createRenderer({ world, tools: tools() })
  const render = async (source: Omit<ApplicationSource, 'repoURL'>, more: Partial<RenderRequest> = {}) =>
    renderer.render({
      snapshot: await repository.snapshot(''),
      path: source.path ?? '.',
      source: { repoURL: repo.path, ...source },
      environment: {
        app: { name: 'shop', project: 'default', namespace: 'web' },
        capabilities: { kubeVersion: '1.34.0', apiVersions: ['apps/v1', 'example.org/v1'] },
      },
      ...more,
    })
  return { repo, repository, render }
}
