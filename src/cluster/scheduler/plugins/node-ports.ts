// Two pods cannot have the same port of one host.

import { portsClash } from '#kinds'
import { type FilterPlugin, refuse } from '../plugin.ts'

const refusal = refuse("node(s) didn't have free ports for the requested pod ports")

export const nodePorts: FilterPlugin = {
  name: 'NodePorts',
  helpedBy: ['podGone', 'node'],
  prepareFilter({ ports }) {
    if (ports.length === 0) return undefined
    return (node) =>
      node.ports.some((taken) => ports.some((wanted) => portsClash(wanted, taken))) ? refusal : undefined
  },
}
