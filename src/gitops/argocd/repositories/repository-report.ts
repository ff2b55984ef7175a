// How a repository is, for pages. Pure.

import type { Sources } from '#gitops/source'
import { formatTime } from '#objects'

export interface RepositoryReport {
  readonly url: string
  readonly type: 'remote' | 'local'
  readonly ready: boolean
  readonly refreshedAt?: string
  readonly trouble?: { readonly message: string; readonly since: string }
}

export function reportOf({ url, type, state }: ReturnType<Sources['all']>[number]): RepositoryReport {
  const { ready, refreshedAtMs, trouble } = state
  return {
    url,
    type,
    ready,
    ...(refreshedAtMs === undefined ? {} : { refreshedAt: formatTime(refreshedAtMs) }),
    ...(trouble === undefined ? {} : { trouble: { message: trouble.message, since: formatTime(trouble.sinceMs) } }),
  }
}
