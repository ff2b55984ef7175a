// NetworkPolicy (networking.k8s.io/v1).

import { type FieldError, forbidden, invalid, notSupported, required, twice } from '../field-error.ts'
import { type IPBlock, NetworkPolicy, type NetworkPolicyPeer, type NetworkPolicyPort } from '../generated/types.ts'
import type { KindRules } from '../kind.ts'
import { portName, portNumber } from '../metadata/formats.ts'
import { checkRange, parseRange, rangeContains } from '../network/addresses.ts'
import { rangeWarnings } from '../network/forms.ts'
import { formatSelector } from '../selector/format.ts'
import { checkSelector } from '../selector/validate.ts'
import { mapShared, withDefaults } from '../sharing.ts'
import { ageColumn, nameColumn, text } from '../table/columns.ts'

function defaults(policy: NetworkPolicy): NetworkPolicy {
  const { spec } = policy
  if (spec === undefined) return policy
  const withProtocols = <T extends { readonly ports?: readonly NetworkPolicyPort[] }>(rule: T): T =>
    withDefaults(rule, {
      ports: rule.ports && mapShared(rule.ports, (port) => withDefaults(port, { protocol: port.protocol ?? 'TCP' })),
    } as Partial<T>)
  const policyTypes =
    (spec.policyTypes ?? []).length > 0
      ? undefined
      : (['Ingress', ...((spec.egress ?? []).length > 0 ? (['Egress'] as const) : [])] as const)
  return withDefaults(policy, {
    spec: withDefaults(spec, {
      policyTypes,
      ingress: spec.ingress && mapShared(spec.ingress, withProtocols),
      egress: spec.egress && mapShared(spec.egress, withProtocols),
    }),
  })
}

function validate({ spec }: NetworkPolicy): readonly FieldError[] {
  const errors: FieldError[] = []
  checkSelector(spec?.podSelector, 'spec.podSelector', errors)
  spec?.ingress?.forEach((rule, i) => {
    checkPorts(rule.ports ?? [], `spec.ingress[${i}].ports`, errors)
    checkPeers(rule.from ?? [], `spec.ingress[${i}].from`, errors)
  })
  spec?.egress?.forEach((rule, i) => {
    checkPorts(rule.ports ?? [], `spec.egress[${i}].ports`, errors)
    checkPeers(rule.to ?? [], `spec.egress[${i}].to`, errors)
  })
  const types: readonly string[] = spec?.policyTypes ?? []
  if (types.length > 2) errors.push(invalid('spec.policyTypes', types, 'may not specify more than two policyTypes'))
  else
    types.forEach((type, i) => {
      if (type !== 'Ingress' && type !== 'Egress')
        errors.push(notSupported(`spec.policyTypes[${i}]`, type, ['Ingress', 'Egress']))
    })
  return errors
}

const protocols: readonly string[] = ['TCP', 'UDP', 'SCTP']

function checkPorts(ports: readonly NetworkPolicyPort[], path: string, errors: FieldError[]): void {
  ports.forEach(({ port, endPort, protocol }, i) => {
    const at = `${path}[${i}]`
    if (protocol !== undefined && !protocols.includes(protocol))
      errors.push(notSupported(`${at}.protocol`, protocol, protocols))
    if (port === undefined) {
      if (endPort !== undefined)
        errors.push(invalid(`${at}.endPort`, endPort, 'may not be specified when `port` is not specified'))
    } else if (typeof port === 'number') {
      for (const fault of portNumber(port)) errors.push(invalid(`${at}.port`, port, fault))
      if (endPort === undefined) return
      if (endPort < port) errors.push(invalid(`${at}.endPort`, port, 'must be greater than or equal to `port`'))
      for (const fault of portNumber(endPort)) errors.push(invalid(`${at}.endPort`, endPort, fault))
    } else {
      if (endPort !== undefined)
        errors.push(invalid(`${at}.endPort`, endPort, 'may not be specified when `port` is non-numeric'))
      for (const fault of portName(port)) errors.push(invalid(`${at}.port`, port, fault))
    }
  })
}

function checkPeers(peers: readonly NetworkPolicyPeer[], path: string, errors: FieldError[]): void {
  peers.forEach((peer, i) => {
    const at = `${path}[${i}]`
    checkSelector(peer.podSelector, `${at}.podSelector`, errors)
    checkSelector(peer.namespaceSelector, `${at}.namespaceSelector`, errors)
    if (peer.ipBlock !== undefined) checkBlock(peer.ipBlock, `${at}.ipBlock`, errors)
    const others = peer.podSelector !== undefined || peer.namespaceSelector !== undefined
    if (!others && peer.ipBlock === undefined) errors.push(required(at, 'must specify a peer'))
    else if (others && peer.ipBlock !== undefined)
      errors.push(forbidden(at, 'may not specify both ipBlock and another peer'))
  })
}

function checkBlock({ cidr, except = [] }: IPBlock, path: string, errors: FieldError[]): void {
  if (!cidr) {
    errors.push(required(`${path}.cidr`))
    return
  }
  checkRange(cidr, `${path}.cidr`, errors)
  const range = parseRange(cidr)
  if (range === undefined) return
  except.forEach((text_, i) => {
    const at = `${path}.except[${i}]`
    checkRange(text_, at, errors)
    const inner = parseRange(text_)
    if (inner !== undefined && (!rangeContains(range, inner) || inner.prefix <= range.prefix))
      errors.push(invalid(at, text_, 'must be a strict subset of `cidr`'))
  })
}

function warnings({ spec }: NetworkPolicy): readonly string[] {
  const ofPeers = (peers: readonly NetworkPolicyPeer[] | null | undefined, path: string): readonly string[] =>
    (peers ?? []).flatMap(({ ipBlock }, i) => {
      if (ipBlock === undefined) return []
      const at = `${path}[${i}].ipBlock`
      return [
        ...rangeWarnings(ipBlock.cidr, `${at}.cidr`),
        ...(ipBlock.except ?? []).flatMap((range, j) => rangeWarnings(range, `${at}.except[${j}]`)),
      ]
    })
  return [
    ...(spec?.ingress ?? []).flatMap(({ from }, i) => ofPeers(from, `spec.ingress[${i}].from`)),
    ...(spec?.egress ?? []).flatMap(({ to }, i) => ofPeers(to, `spec.egress[${i}].to`)),
  ]
}

export const networkPolicyRules: KindRules<NetworkPolicy> = {
  kind: NetworkPolicy,
  metaOnUpdate: 'mu',
  defaults,
  validate,
  validateUpdate: (policy) => twice(validate(policy)),
  warnings,
  columns: [
    nameColumn,
    text(
      'Pod-Selector',
      'Selects the pods to which this NetworkPolicy object applies.  The array of ingress rules is applied to any pods selected by this field. Multiple network policies can select the same set of pods.  In this case, the ingress rules for each are combined additively. This field is NOT optional and follows standard label selector semantics. An empty podSelector matches all pods in this namespace.',
      ({ spec }) => formatSelector(spec?.podSelector),
    ),
    ageColumn,
  ],
}
