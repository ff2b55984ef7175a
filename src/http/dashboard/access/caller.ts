// Whoever a request comes from, as routes see him: what he is called, and what he may do.

import { formatTime } from '#objects'
import { RestError } from '../rest-error.ts'
import type { Question } from './policy.ts'
import type { Rights, Subject } from './rights.ts'

export interface Caller {
  /** As whom he appears in operations and history; undefined for somebody who has not said who he is. */
  readonly user: string | undefined
  readonly groups: readonly string[]
  readonly issuer: string
  may(question: Question): Promise<boolean>
  /** Throws RestError for what he may not do. */
  must(question: Question): Promise<void>
}

/** Whoever signed in with the daemon's own link, or has the cluster's administrator token. */
export const administrator = (user: string): Caller => ({
  user,
  groups: [],
  issuer: 'homeostat',
  may: async () => true,
  must: async () => undefined,
})

const signInHint = 'not signed in: open the sign-in link that the daemon printed when it started'

/** Whoever says nothing of himself may look. */
export const reader: Caller = {
  user: undefined,
  groups: [],
  issuer: '',
  may: async ({ action }) => action === 'get',
  async must({ action }) {
    if (action !== 'get') throw new RestError('unauthenticated', signInHint)
  },
}

export interface Judged {
  readonly subject: Subject
  readonly groups: readonly string[]
  readonly issuer: string
  readonly rights: Rights
}

/** Somebody whom policies judge. */
export function judged({ subject, groups, issuer, rights }: Judged): Caller {
  return {
    user: subject.name,
    groups,
    issuer,
    may: (question) => rights.allow(subject, question),
    async must(question) {
      if (!(await rights.allow(subject, question))) throw denied(subject, question)
    },
  }
}

/** In Argo CD's words. */
function denied({ name, claims }: Subject, { resource, action, object }: Question): RestError {
  const iat = claims['iat']
  const parts = [
    resource,
    action,
    object,
    `sub: ${name}`,
    ...(typeof iat === 'number' ? [`iat: ${formatTime(iat * 1000)}`] : []),
  ]
  return new RestError('permissionDenied', `permission denied: ${parts.join(', ')}`)
}

/** Throws unless the caller has said who he is. */
export function mustBeKnown(caller: Caller): asserts caller is Caller & { readonly user: string } {
  if (caller.user === undefined) throw new RestError('unauthenticated', signInHint)
}
