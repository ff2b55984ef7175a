// Node (v1).

import { Node, type NodeSpec } from '../generated/types.ts'
import type { Column, KindRules } from '../kind.ts'
import { rangeWarnings } from '../network/forms.ts'
import { roundResources } from '../quantity/round.ts'
import { withDefaults, without } from '../sharing.ts'
import { ageColumn, nameColumn, text, wide } from '../table/columns.ts'
import { validateNode, validateNodeChange, validateNodeUpdate } from './validate.ts'

/** Two fields for one thing: where they differ, the older one is what was meant. */
function withRanges(spec: NodeSpec): NodeSpec {
  const { podCIDR = '', podCIDRs = [] } = spec
  const [first] = podCIDRs
  if (podCIDR === '') return first === undefined ? spec : { ...spec, podCIDR: first }
  return podCIDR === first ? spec : { ...spec, podCIDRs: [podCIDR] }
}

function defaults(node: Node): Node {
  const { spec, status } = node
  return withDefaults(node, {
    spec: spec && withRanges(spec),
    status:
      status &&
      withDefaults(status, {
        capacity: roundResources(status.capacity),
        allocatable: roundResources(status.allocatable ?? status.capacity),
      }),
  })
}

function statusText({ spec, status }: Node): string {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')
  const state = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady'
  return spec?.unschedulable === true ? `${state},SchedulingDisabled` : state
}

const rolePrefix = 'node-role.kubernetes.io/'

function rolesText({ metadata }: Node): string {
  const roles = Object.entries(metadata.labels ?? {}).flatMap(([key, value]) => {
    if (key.startsWith(rolePrefix) && key.length > rolePrefix.length) return [key.slice(rolePrefix.length)]
    return key === 'kubernetes.io/role' && value !== '' ? [value] : []
  })
  return [...new Set(roles)].sort().join(',') || '<none>'
}

const addressOf = ({ status }: Node, type: string): string =>
  status?.addresses?.find((address) => address.type === type)?.address ?? '<none>'

const addressesDescription =
  "List of addresses reachable to the node. Queried from cloud provider, if available. More info: https://kubernetes.io/docs/reference/node/node-status/#addresses Note: This field is declared as mergeable, but the merge key is not sufficiently unique, which can cause data corruption when it is merged. Callers should instead use a full-replacement patch. See https://pr.k8s.io/79391 for an example. Consumers should assume that addresses can change during the lifetime of a Node. However, there are some exceptions where this may not be possible, such as Pods that inherit a Node's address in its own status or consumers of the downward API (status.hostIP)."

const columns: readonly Column<Node>[] = [
  nameColumn,
  text('Status', 'The status of the node', statusText),
  text('Roles', 'The roles of the node', rolesText),
  ageColumn,
  text('Version', 'Kubelet Version reported by the node.', ({ status }) => status?.nodeInfo?.kubeletVersion ?? ''),
  wide(text('Internal-IP', addressesDescription, (node) => addressOf(node, 'InternalIP'))),
  wide(text('External-IP', addressesDescription, (node) => addressOf(node, 'ExternalIP'))),
  wide(
    text(
      'OS-Image',
      'OS Image reported by the node from /etc/os-release (e.g. Debian GNU/Linux 7 (wheezy)).',
      ({ status }) => status?.nodeInfo?.osImage || '<unknown>',
    ),
  ),
  wide(
    text(
      'Kernel-Version',
      "Kernel Version reported by the node from 'uname -r' (e.g. 3.16.0-0.bpo.4-amd64).",
      ({ status }) => status?.nodeInfo?.kernelVersion || '<unknown>',
    ),
  ),
  wide(
    text(
      'Container-Runtime',
      'ContainerRuntime Version reported by the node through runtime remote API (e.g. containerd://1.4.2).',
      ({ status }) => status?.nodeInfo?.containerRuntimeVersion || '<unknown>',
    ),
  ),
]

/** Nodes are not configured through the API any more. */
const withoutConfig = (node: Node): Node =>
  withDefaults(node, { spec: node.spec && without(node.spec, 'configSource') })

/** A node registers itself with its status in one write. */
function prepareForCreate(given: Node): Node {
  const node = withoutConfig(given)
  return withDefaults(node, { status: node.status && without(node.status, 'config') })
}

function warnings({ spec }: Node): readonly string[] {
  const old = spec?.externalID ? ['spec.externalID: this field is deprecated, and is unused by Kubernetes'] : []
  return [...old, ...(spec?.podCIDRs ?? []).flatMap((range, i) => rangeWarnings(range, `spec.podCIDRs[${i}]`))]
}

export const nodeRules: KindRules<Node> = {
  kind: Node,
  metaOnUpdate: 'mu',
  generation: 'none',
  defaults,
  prepareForCreate,
  prepareForUpdate: (node, old) => withDefaults(withoutConfig(node), { status: old.status }),
  prepareForStatusUpdate: (node, old) => (old.spec === undefined ? node : withDefaults(node, { spec: old.spec })),
  validate: validateNode,
  validateUpdate: validateNodeUpdate,
  validateStatusUpdate: validateNodeChange,
  warnings,
  columns,
  selectableFields: { 'spec.unschedulable': ({ spec }) => String(spec?.unschedulable ?? false) },
}
