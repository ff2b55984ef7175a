// Refuses what the authoriser does not allow. What a caller says of himself (Impersonate-…) must be allowed to the one who
// really asks, one by one (apiserver/pkg/endpoints/filters/impersonation.go).

import { type AccessQuestion, type Decide, forbiddenFor, questionOf } from '#apiserver'
import type { Authenticated } from './authenticate.ts'
import type { Target } from './route.ts'

type Decision = ReturnType<Decide>

/**
 * Throws 403 when the authoriser refuses the request, or the impersonation that it was made with. `heard` is told what was
 * decided, in either case.
 */
export function checkAccess(
  decide: Decide,
  { who, target }: { readonly who: Authenticated; readonly target: Target },
  heard: (decision: Decision) => void,
): void {
  const ask = (question: AccessQuestion): Decision => {
    const decision = decide(question)
    if (decision.allowed) return decision
    heard(decision)
    throw forbiddenFor(question, decision.reason)
  }
  for (const question of impersonations(who)) ask(question)
  heard(ask(questionOf(who.identity, target)))
}

const accountPattern = /^system:serviceaccount:([^:]+):([^:]+)$/
const group = 'authentication.k8s.io'

function impersonations({ impersonator: caller, claimed }: Authenticated): readonly AccessQuestion[] {
  if (caller === undefined || claimed === undefined) return []
  const verb = 'impersonate'
  const [, namespace, account] = accountPattern.exec(claimed.user) ?? []
  const ofUser =
    namespace === undefined || account === undefined
      ? { caller, verb, resource: 'users', name: claimed.user }
      : { caller, verb, resource: 'serviceaccounts', namespace, name: account }
  return [
    ofUser,
    ...claimed.groups.map((name) => ({ caller, verb, resource: 'groups', name })),
    ...Object.entries(claimed.extra ?? {}).flatMap(([subresource, values]) =>
      values.map((name) => ({ caller, verb, group, resource: 'userextras', subresource, name })),
    ),
    ...(claimed.uid === undefined ? [] : [{ caller, verb, group, resource: 'uids', name: claimed.uid }]),
  ]
}
