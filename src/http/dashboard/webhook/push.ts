// What a provider's message comes down to: which repository moved, and which ref. And whose business that is. Pure.

import { isSameRepository } from '#gitops'
import { type Application, type ApplicationSource, sourcesIn } from '#kinds'

export interface Push {
  /** Addresses of the repository, or of a chart in a registry (`ghcr.io/org/chart`). */
  readonly urls: readonly string[]
  /** As `refs/heads/main`; empty: the message does not say. */
  readonly ref: string
  readonly defaultBranch?: string
}

/** Whether one of the application's sources follows what was pushed. */
export function isConcerned({ spec }: Application, push: Push): boolean {
  return sourcesIn(spec).some((source) => isMeant(source, push) && followsRef(source, push))
}

function isMeant({ repoURL, chart = '' }: ApplicationSource, { urls }: Push): boolean {
  if (chart === '') return urls.some((url) => isSameRepository(repoURL, url))
  const address = `${repoURL.replace(/^oci:\/\//i, '').replace(/\/+$/, '')}/${chart}`
  return urls.some((url) => url.toLowerCase() === address.toLowerCase())
}

function followsRef({ targetRevision = '', chart = '' }: ApplicationSource, { ref, defaultBranch }: Push): boolean {
  if (ref === '' || chart !== '') return true
  const pushed = ref.replace(/^refs\/(heads|tags)\//, '')
  if (targetRevision === '' || targetRevision === 'HEAD') return defaultBranch === undefined || pushed === defaultBranch
  if (targetRevision === ref || targetRevision === pushed) return true
  // A range of versions follows every tag.
  return ref.startsWith('refs/tags/') && /[*^~<>=]|^\d+(\.\d+)?$/.test(targetRevision)
}
