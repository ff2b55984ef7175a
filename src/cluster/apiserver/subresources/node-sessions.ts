// exec, attach and portforward: what can be refused is refused here; the rest is a session that goes through the node
// gateway, and whose end is told as a Status, as the API server tells it of a kubelet's answer.

import { ApiError, type ApiResponse, internalError, type PortForwarding, type Session, type Status } from '#api'
import type { Pod } from '#kinds'
import type { AnyObject } from '#objects'
import { badRequest } from '../errors.ts'
import { parseFlag } from '../query-values.ts'
import { existing } from '../read.ts'
import type { Scope } from '../scope.ts'
import { containerOf } from './log.ts'
import { admitConnection, notListening } from './node-requests.ts'

export async function openSession(scope: Scope): Promise<ApiResponse> {
  await admitConnection(scope)
  const pod = existing(scope).value as AnyObject
  const container = containerOf(scope, pod as unknown as Pod)
  const nodeName = nodeOf(scope, pod)
  const [stdin, stdout, stderr, tty] = ['stdin', 'stdout', 'stderr', 'tty'].map(
    (name) => parseFlag(scope.query(name)) ?? false,
  ) as [boolean, boolean, boolean, boolean]
  const { nodeGateway } = scope.core.options
  const command = scope.query('command')?.split('\0')
  const options = { container, stdin, tty, ...(scope.subresource === 'exec' ? { command: command ?? [] } : {}) }
  const session: Session = {
    stdin,
    stdout,
    stderr: stderr && !tty,
    tty,
    async run(streams, signal) {
      try {
        if (!stdin && !stdout && !stderr)
          throw internalError('unable to upgrade connection: you must specify at least 1 of stdin, stdout, stderr')
        if (nodeGateway?.run === undefined) throw notListening(nodeName)
        return endedWith(await nodeGateway.run(pod, options, streams, signal))
      } catch (error) {
        return failure(error)
      }
    },
  }
  return { status: 200, body: { type: 'session', session } }
}

export async function forwardPorts(scope: Scope): Promise<ApiResponse> {
  await admitConnection(scope)
  const pod = existing(scope).value as AnyObject
  const nodeName = nodeOf(scope, pod)
  const { nodeGateway } = scope.core.options
  const connect = nodeGateway?.connect
  const ports: PortForwarding = {
    async connect(port, connection, signal) {
      if (connect === undefined) throw notListening(nodeName)
      await connect(pod, port, connection, signal)
    },
  }
  return { status: 200, body: { type: 'ports', ports } }
}

function nodeOf(scope: Scope, pod: AnyObject): string {
  const { nodeName = '' } = (pod as unknown as Pod).spec ?? {}
  if (nodeName === '') throw badRequest(`pod ${scope.name} does not have a host assigned`)
  return nodeName
}

const success: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' }

function endedWith(exitCode: number): Status {
  if (exitCode === 0) return success
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `command terminated with non-zero exit code: command terminated with exit code ${exitCode}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(exitCode) }] },
  }
}

function failure(error: unknown): Status {
  if (error instanceof ApiError) return error.toStatus()
  return internalError(error instanceof Error ? error.message : String(error)).toStatus()
}
