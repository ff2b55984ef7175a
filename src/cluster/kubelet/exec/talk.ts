// Which containers begin only when a client has joined them: what they do depends on what it writes, and it alone hears
// what they say. Others run whether somebody listens or not.

import type { Pod } from '#kinds'
import type { ContainerSpec } from '../containers/containers.ts'
import { isShell, programOf } from './commands.ts'

/** Whether an image has no command but a shell. */
export const isInteractive = (image: string): boolean => /(^|\/)(busybox|alpine|debian|ubuntu)(:|@|$)/.test(image)

/** What such a container runs: a shell where the image says so. */
export const commandOf = ({ command = [], args = [] }: ContainerSpec['spec']): readonly string[] =>
  command.length + args.length === 0 ? ['sh'] : [...command, ...args]

export function isTalkedTo(pod: Pod, container: ContainerSpec): boolean {
  const { stdin, command = [], args = [], image = '' } = container.spec
  if (stdin !== true) return false
  const [first, second] = [...command, ...args]
  if (first === undefined) return isInteractive(image)
  if (second === undefined && isShell(first)) return true
  return hasOneClient(pod, container) && (isShell(first) || programOf(first) !== undefined)
}

/** Its input is kept open for one client (`kubectl run -i`), or it is there for somebody to look around (`kubectl debug -i`). */
function hasOneClient({ metadata }: Pod, { kind, spec }: ContainerSpec): boolean {
  return (
    spec.stdinOnce === true ||
    kind === 'ephemeral' ||
    metadata.labels?.['app.kubernetes.io/managed-by'] === 'kubectl-debug' ||
    metadata.name?.startsWith('node-debugger-') === true
  )
}
