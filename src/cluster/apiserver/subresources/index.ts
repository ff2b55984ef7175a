// The subresources: one line each. `status` is offered wherever the table of resources says so; the others belong to one
// resource, or (scale) to several.

import type { ApiResponse, Verb } from '#api'
import { methodNotAllowed, noSuchPath, notFoundError } from '../errors.ts'
import { patch, wayOf } from '../patch.ts'
import { get } from '../read.ts'
import type { Scope } from '../scope.ts'
import { type UpdateWay, update } from '../update.ts'
import { approvalWay } from './approval.ts'
import { bind } from './binding.ts'
import { ephemeralContainersWay } from './ephemeral-containers.ts'
import { evict } from './eviction.ts'
import { finalizeWay } from './finalize.ts'
import { log } from './log.ts'
import { proxyNode } from './node-requests.ts'
import { forwardPorts, openSession } from './node-sessions.ts'
import { proxyPod, proxyService } from './proxy.ts'
import { resizeWay } from './resize.ts'
import { scale } from './scale.ts'
import { requestToken } from './token.ts'

type Answer = (scope: Scope) => ApiResponse | Promise<ApiResponse>
type Answers = Partial<Readonly<Record<Verb, Answer>>>

/** A subresource whose objects are of the resource's own kind, and that changes what `way` says. */
const ownKind = (way: (scope: Scope) => UpdateWay): Answers => ({
  get,
  update: (scope) => update(scope, way(scope)),
  patch: (scope) => patch(scope, way(scope)),
})

/** Whatever is asked of a proxy goes to whoever is behind it. */
const proxy = (answer: Answer): Answers => ({
  get: answer,
  create: answer,
  update: answer,
  patch: answer,
  delete: answer,
})
const session: Answers = { get: openSession, create: openSession }

const status = ownKind(wayOf)

const subresources: Readonly<Record<string, Answers>> = {
  'namespaces/finalize': ownKind(finalizeWay),
  'nodes/proxy': proxy(proxyNode),
  'pods/attach': session,
  'pods/binding': { create: bind },
  'pods/ephemeralcontainers': ownKind(() => ephemeralContainersWay),
  'pods/eviction': { create: evict },
  'pods/exec': session,
  'pods/log': { get: log },
  'pods/portforward': { get: forwardPorts, create: forwardPorts },
  'pods/proxy': proxy(proxyPod),
  'pods/resize': ownKind(() => resizeWay),
  'serviceaccounts/token': { create: requestToken },
  'services/proxy': proxy(proxyService),
  'certificatesigningrequests.certificates.k8s.io/approval': ownKind(approvalWay),
}

/** What answers this request for a subresource. */
export function subresourceOf(scope: Scope): Answer {
  const { info, bucket } = scope.served
  const { verb } = scope.request
  const offered = info.subresources.find(({ name }) => name === scope.subresource)
  if (offered === undefined) {
    if (scope.served.custom !== undefined) throw notFoundError(info, scope.name)
    throw noSuchPath(info.group)
  }
  if (!offered.verbs.includes(verb)) throw methodNotAllowed()
  const answers = answersOf(scope.subresource, bucket)
  const answer = answers?.[verb]
  if (answer === undefined) throw methodNotAllowed()
  return answer
}

function answersOf(subresource: string, bucket: string): Answers | undefined {
  if (subresource === 'status') return status
  if (subresource === 'scale') return scale
  return subresources[`${bucket}/${subresource}`]
}
