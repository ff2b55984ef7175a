// Lifecycle hooks: how long one takes, what breaks it off, and the error that the kubelet then has of it
// (lifecycle/handlers.go). A hook's own story is part of the container's workload.

import type { Container } from '#kinds'
import type { ContainerRecord } from '../containers/containers.ts'
import { portFault } from '../containers/named-ports.ts'
import type { Process } from '../ground/agenda.ts'
import { goList, goQuote } from '../ground/go-text.ts'
import type { PodLife } from '../life/pod-life.ts'
import type { HookOutcome } from '../workload/workload.ts'

type LifecycleHandler = NonNullable<NonNullable<Container['lifecycle']>['preStop']>

export interface Hook {
  readonly record: ContainerRecord
  readonly handler: LifecycleHandler
  readonly outcome: HookOutcome | undefined
}

/**
 * Runs a hook to its end; answers the error, if it comes to one. What runs in a container ends with it; a sleep is the
 * kubelet's own. The end of the pod breaks off neither.
 */
export function* runHook(run: PodLife, hook: Hook): Process<string | undefined> {
  const { record, handler } = hook
  if (handler.tcpSocket !== undefined) return invalidHandler(handler.tcpSocket)
  const fault = portFault(handler.httpGet?.port, { spec: run.pod.spec, name: record.name })
  if (fault !== undefined) return fault
  const outcome: HookOutcome = hook.outcome ?? { result: 'ok', seconds: handler.sleep?.seconds ?? 0 }
  const until = run.now + outcome.seconds * 1000 + (handler.exec === undefined ? 0 : run.around.timings.execMs)
  const gates = handler.sleep === undefined ? [run.exitOf(record.id)] : []
  if (run.now < until) yield { ms: until - run.now, gates }
  if (run.now < until) return cutOff(hook)
  return outcome.result === 'ok' ? undefined : errorOf(run, hook, outcome)
}

/** Connecting is nothing that a hook can do, though the field is there. */
function invalidHandler({ port, host = '' }: NonNullable<LifecycleHandler['tcpSocket']>): string {
  const parts = typeof port === 'number' ? `0 ${port} ` : `1 0 ${port}`
  return `invalid handler: &LifecycleHandler{Exec:nil,HTTPGet:nil,TCPSocket:&TCPSocketAction{Port:{${parts}},Host:${host},},Sleep:nil,}`
}

const commandEnded = ({ exec }: LifecycleHandler, exitCode: number, output = ''): string =>
  `command '${(exec?.command ?? []).join(' ')}' exited with ${exitCode}: ${output}`

const cutOff = ({ handler }: Hook): string => (handler.exec === undefined ? 'EOF' : commandEnded(handler, 137))

function errorOf(run: PodLife, { handler }: Hook, { message, exitCode = 1, output }: HookOutcome): string {
  const text = message ?? (handler.exec === undefined ? 'EOF' : commandEnded(handler, exitCode, output))
  return text.replaceAll('<podIP>', run.sandbox?.ip ?? '').replace(/<id>/g, () => run.around.random.hex(64))
}

/** The sentence in which the status tells of a hook's error. */
export function hookFailure(run: PodLife, { record, handler, outcome }: Hook, error: string): string {
  if (handler.tcpSocket !== undefined) return `Cannot run handler: ${error}`
  const where = `for Container ${goQuote(record.name)} in Pod ${goQuote(run.title)} failed`
  if (handler.exec !== undefined)
    return `Exec lifecycle hook (${goList(handler.exec.command ?? [])}) ${where} - error: ${error}, message: ${goQuote(outcome?.output ?? '')}`
  if (handler.sleep !== undefined) return `Sleep lifecycle hook (${handler.sleep.seconds}) ${where} - error: ${error}`
  return `HTTP lifecycle hook (${handler.httpGet?.path ?? ''}) ${where} - error: ${error}`
}
