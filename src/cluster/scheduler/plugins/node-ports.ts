// Two pods cannot have the same port of one host.

import { type HostPort, portsClash } from '#kinds'
import { type FilterPlugin, hint } from '../plugin.ts'
import { refuse } from '../refusal.ts'

const refusal = refuse("node(s) didn't have free ports for the requested pod ports")

const clash = (wanted: readonly HostPort[], taken: readonly HostPort[]): boolean =>
  taken.some((one) => wanted.some((port) => portsClash(port, one)))

export const nodePorts: FilterPlugin = {
  name: 'NodePorts',
  ofNode: true,
  helpedBy: [
    hint('podGone', ({ ports }, { pod }) => clash(ports, pod.ports)),
    hint('promiseGone', ({ ports, priority }, { pod }) => priority <= pod.priority && clash(ports, pod.ports)),
    hint('nodeAdded'),
  ],
  prepareFilter({ ports }) {
    if (ports.length === 0) return undefined
    return (node) => (clash(ports, node.ports) ? refusal : undefined)
  },
}
