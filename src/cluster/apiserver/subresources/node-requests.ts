// Requests to nodes themselves: what their kubelets answer. A server without simulated nodes answers as one that cannot dial any.

import { type ApiError, type ApiResponse, internalError } from '#api'
import type { Node, Pod } from '#kinds'
import type { AnyObject } from '#objects'
import { admitBody, kindOf } from '../admit.ts'
import { badRequest } from '../errors.ts'
import { existing } from '../read.ts'
import type { Scope } from '../scope.ts'
import { answerOfKubelet } from './kubelet-paths.ts'

/** Options of a connection, as admission is shown them. */
function connectionOf({ served, subresource, request }: Scope): AnyObject {
  const { kind } = kindOf(served.info, subresource)
  const { query = {} } = request
  const truths = ['stdin', 'stdout', 'stderr', 'tty']
  const options = Object.entries(query).map(([key, value]): [string, unknown] => {
    if (truths.includes(key)) return [key, value === 'true' || value === '1']
    return [key, key === 'command' ? value?.split('\0') : key === 'ports' ? value?.split(',').map(Number) : value]
  })
  return { kind, apiVersion: 'v1', ...Object.fromEntries(options) } as unknown as AnyObject
}

/** A connection on its way through admission, which comes before whether there is anything to connect to. */
export async function admitConnection(scope: Scope): Promise<void> {
  if (scope.query('dryRun') !== undefined) throw badRequest('dryRun is not supported')
  await admitBody(scope, 'CONNECT', connectionOf(scope))
}

/** The node's kubelet, or how the node is simulated. */
export async function proxyNode(scope: Scope): Promise<ApiResponse> {
  await admitConnection(scope)
  const node = existing(scope).value as unknown as Node
  const { nodeGateway } = scope.core.options
  if (nodeGateway?.reach === undefined) throw notListening(scope.name)
  const told = simulation(scope)
  if (told !== undefined) return told
  try {
    nodeGateway.reach(scope.name)
  } catch (error) {
    throw internalError((error as Error).message)
  }
  return answerOfKubelet(scope, node)
}

/** What a node can tell of itself: the rules by which it simulates a pod, or is simulated itself. */
function simulation(scope: Scope): ApiResponse | undefined {
  const key = scope.query('simulation')
  const { nodeGateway } = scope.core.options
  if (key === undefined || nodeGateway?.simulation === undefined) return undefined
  const said = key === '' ? nodeGateway.nodeSimulation?.(scope.name) : nodeGateway.simulation(podOf(scope, key))
  return { status: 200, body: { type: 'text', contentType: 'application/json', text: JSON.stringify(said) } }
}

function podOf(scope: Scope, key: string): AnyObject {
  const pod = scope.core.store.get('pods', key)?.value as unknown as Pod | undefined
  if (pod?.spec.nodeName !== scope.name) throw badRequest(`node ${scope.name} does not run pod ${key}`)
  return pod as unknown as AnyObject
}

export const notListening = (node: string | undefined): ApiError =>
  internalError(
    `error dialing backend: node ${JSON.stringify(node)} is simulated, and so are its containers: there is no process to connect to (kubectl logs works)`,
  )
