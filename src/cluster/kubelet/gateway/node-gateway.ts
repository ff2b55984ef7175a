// What a kubelet serves by itself, to the API server and to whoever opens a connection to one of its pods.

import type { PortConnection, SessionStreams } from '#api'
import type { Pod, ProfileWebhook } from '#kinds'
import { objectKey } from '#objects'
import { type CommandRequest, runCommand } from '../exec/exec.ts'
import type { Fleet, Present } from '../fleet/fleet.ts'
import { containerLog, type LogRequest, type LogSurroundings } from '../logs/logs.ts'
import { type Answer, answerOf, nobody } from './answering.ts'
import { answerRequest, type HttpQuestion, servePort } from './port-server.ts'

type PodAnswer = Awaited<ReturnType<typeof answerRequest>>

export interface NodeGateway {
  /** Throws what the API server has of a node whose kubelet does not answer. */
  reach(node: string): void
  /** The log of one container. */
  logs(pod: Pod, request: LogRequest, signal: AbortSignal): AsyncIterable<string>
  /** Runs a command in a container, or joins what it runs; answers the exit code, throws what kubectl shall see. */
  run(pod: Pod, request: CommandRequest, streams: SessionStreams, signal: AbortSignal): Promise<number>
  /** Carries one connection to a port of a pod to its end; throws what kubectl shall see. */
  connect(pod: Pod, port: number, connection: PortConnection, signal: AbortSignal): Promise<void>
  /** Has a pod answer one HTTP request; throws what whoever dials its address is told. */
  request(pod: Pod, request: Pick<HttpQuestion, 'port' | 'method' | 'url'>, signal: AbortSignal): Promise<PodAnswer>
  /** How the simulated server in a pod answers admission reviews; undefined: nothing listens. */
  webhookOf(pod: Pod): ProfileWebhook | undefined
  /** What a connection to a pod meets now. */
  answerOf(pod: Pod, port: number, protocol: string): Answer
}

/** What a container writes from now on. */
const wholeLog = { follow: true, previous: false, timestamps: false, tailLines: 0 }

export function nodeGateway(fleet: Fleet): NodeGateway {
  const { workloads } = fleet
  const reach = (node: string): Present => {
    const { present } = fleet
    if (present !== undefined && !fleet.isStopped(node)) return present
    const address = present?.floor.nodeNamed(node)?.runtime.hostIP ?? node
    throw new Error(`error dialing backend: dial tcp ${address}:10250: connect: no route to host`)
  }
  const dial = ({ spec: { nodeName = '' } }: Pod): Present => reach(nodeName)
  const logOf = (pod: Pod, signal: AbortSignal): LogSurroundings => {
    const { present } = fleet
    return {
      workloads,
      signal,
      ...(present === undefined ? {} : { world: present.world, run: present.floor.runFor(pod) }),
    }
  }
  return {
    reach: (node) => void reach(node),
    logs: (pod, request, signal) => containerLog(pod, request, logOf(pod, signal)),
    async run(pod, request, streams, signal) {
      const { floor, world } = dial(pod)
      const follow = (until: AbortSignal): AsyncIterable<string> =>
        containerLog(pod, { ...wholeLog, container: request.container }, logOf(pod, until))
      const wake = (): void => fleet.wakePod(objectKey(pod))
      return runCommand(floor.runFor(pod), request, streams, { world, signal, follow, wake })
    },
    async connect(pod, port, connection, signal) {
      const { floor, world } = dial(pod)
      await servePort(floor.runFor(pod), { port, world, signal }, connection)
    },
    async request(pod, request, signal) {
      const { present } = fleet
      if (present === undefined) throw new Error('the kubelet has not started yet')
      return answerRequest(fleet.runFor(pod), { ...request, world: present.world, signal })
    },
    webhookOf: (pod) => workloads.webhook(pod),
    answerOf(pod, port, protocol) {
      const run = fleet.runFor(pod)
      return run === undefined ? nobody : answerOf(run, { port, protocol, now: fleet.now })
    },
  }
}
