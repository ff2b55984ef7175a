// Whether a git server's message concerns the generators of a set: then it is asked anew at once. One look too many does no
// harm, so names are compared and hosts are not. Pure.

import type { ApplicationSet, Generator } from '#kinds'

export interface RepositoryEvent {
  /** Something was pushed, or pull requests have changed. */
  readonly type: 'push' | 'pullRequest'
  /** `owner/repository`, as the server calls it; numbers of projects too. */
  readonly names: readonly string[]
}

export const concernsSet = ({ spec }: ApplicationSet, event: RepositoryEvent): boolean =>
  spec.generators.some((generator) => concerns(generator, event))

function concerns(generator: Generator, event: RepositoryEvent): boolean {
  const inner = [...(generator.matrix?.generators ?? []), ...(generator.merge?.generators ?? [])]
  if (inner.some((each) => concerns(each, event))) return true
  const names = event.names.map((name) => name.toLowerCase())
  if (event.type === 'pullRequest') return repositoriesIn(generator['pullRequest']).some((name) => names.includes(name))
  if (generator['plugin'] !== undefined) return true
  return ownersIn(generator['scmProvider']).some((owner) => names.some((name) => `/${name}`.includes(`/${owner}/`)))
}

type Block = Readonly<Record<string, unknown>>

const blocksIn = (generator: unknown): readonly Block[] =>
  Object.values((generator ?? {}) as Block).filter(
    (block): block is Block => typeof block === 'object' && block !== null && !Array.isArray(block),
  )

/** A block's first field of those that is a text. */
const textIn = (block: Block, ...fields: readonly string[]): string => {
  const value = fields.map((field) => block[field]).find((each) => each !== undefined)
  return typeof value === 'string' || typeof value === 'number' ? String(value).toLowerCase() : ''
}

/** GitLab names one field, the others two. */
const repositoriesIn = (generator: unknown): readonly string[] =>
  blocksIn(generator).map((block) => {
    const [owner, repository] = [textIn(block, 'owner', 'project'), textIn(block, 'repo')]
    return repository === '' ? owner : `${owner}/${repository}`
  })

const ownersIn = (generator: unknown): readonly string[] =>
  blocksIn(generator)
    .map((block) => textIn(block, 'owner', 'group', 'project', 'organization'))
    .filter((owner) => owner !== '')
