// The subresources: one line each. `status` is offered wherever the table of resources says so; the others belong to one
// resource.

import type { ApiResponse } from '#api'
import { methodNotAllowed, noSuchPath } from './errors.ts'
import { patch } from './patch.ts'
import { get } from './read.ts'
import type { Scope } from './scope.ts'
import { update } from './update.ts'

type Answer = (scope: Scope) => ApiResponse | Promise<ApiResponse>

const ownKind: Readonly<Record<string, Answer>> = { get, update, patch: (scope) => patch(scope) }

/** What answers this request for a subresource. */
export function subresourceOf(scope: Scope): Answer {
  const { info } = scope.served
  const { verb } = scope.request
  const offered = info.subresources.find(({ name }) => name === scope.subresource)
  if (offered === undefined) throw noSuchPath()
  if (!offered.verbs.includes(verb)) throw methodNotAllowed()
  const answer = ownKind[verb]
  if (answer === undefined) throw methodNotAllowed()
  return answer
}
