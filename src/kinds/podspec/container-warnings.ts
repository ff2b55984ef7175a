// Warnings for containers: amounts that are no whole bytes, variables that hide one another, ports that are named twice.

import { parseQuantity } from '#objects'
import type { Container, ContainerPort, EnvVar, PodSpec } from '../generated/types.ts'
import { amountText } from '../quantity/resources.ts'
import { allContainers } from './windows.ts'

/** Bytes come whole. */
export function fractionWarning(amount: string | number | undefined, path: string): readonly string[] {
  if (amount === undefined || parseQuantity(amount).nano % 1_000_000_000n === 0n) return []
  return [`${path}: fractional byte value ${JSON.stringify(amountText(amount))} is invalid, must be an integer`]
}

export function containerWarnings(container: Container, path: string): readonly string[] {
  return [
    ...['memory', 'ephemeral-storage'].flatMap((name) =>
      (['limits', 'requests'] as const).flatMap((list) =>
        fractionWarning(container.resources?.[list]?.[name], `${path}.resources.${list}[${name}]`),
      ),
    ),
    ...envWarnings(container.env ?? [], `${path}.env`),
  ]
}

function envWarnings(variables: readonly EnvVar[], path: string): readonly string[] {
  const known = new Set<string>()
  return variables.flatMap(({ name, value = '', valueFrom }, i) => {
    if (!known.has(name)) {
      known.add(name)
      return []
    }
    // A later definition may build on an earlier one by naming it, as in `$(NAME)/bin`.
    const reference = `$(${name})`
    const builds = valueFrom === undefined && value !== reference && value.includes(reference)
    return builds
      ? []
      : [`${path}[${i}]: hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`]
  })
}

interface Port {
  readonly at: string
  readonly port: ContainerPort
}

/** Ports of all containers together. */
export function portWarnings(spec: PodSpec, path: string): readonly string[] {
  const known: Port[] = []
  return allContainers(spec, path).flatMap(({ container, at: containerPath }) =>
    (container.ports ?? []).flatMap((port, i) => {
      const at = `${containerPath}.ports[${i}]`
      const others = known.filter(
        (other) => other.port.containerPort === port.containerPort && other.port.protocol === port.protocol,
      )
      known.push({ at, port })
      const clashes = others.flatMap((other) => {
        const text = clash(port, other.port)
        return text === undefined ? [] : [`${at}: ${text} port definition with ${other.at}`]
      })
      return [...addressWarning(port, at), ...clashes]
    }),
  )
}

/** A Service or probe that names a port takes the first of that name. */
export function portNameWarnings(spec: PodSpec, path: string): readonly string[] {
  const known = new Map<string, string>()
  return allContainers(spec, path).flatMap(({ container, at: containerPath }) =>
    (container.ports ?? []).flatMap(({ name = '' }, i) => {
      const at = `${containerPath}.ports[${i}]`
      const first = known.get(name)
      if (name === '' || first === undefined) {
        known.set(name, at)
        return []
      }
      const text = `duplicate port name ${JSON.stringify(name)} with ${first}`
      return [`${at}: ${text}, services and probes that select ports by name will use ${first}`]
    }),
  )
}

function addressWarning(port: ContainerPort, path: string): readonly string[] {
  const { name = '', hostPort = 0, containerPort, protocol = '', hostIP = '' } = port
  if (hostIP === '' || hostPort !== 0) return []
  const shown = `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`
  return [`${path}: hostIP set without hostPort: ${shown}`]
}

function clash(a: ContainerPort, b: ContainerPort): string | undefined {
  const [ports, addresses] = [
    [a.hostPort ?? 0, b.hostPort ?? 0],
    [a.hostIP ?? '', b.hostIP ?? ''],
  ]
  const samePort = ports[0] === ports[1]
  if (samePort && addresses[0] === addresses[1]) return 'duplicate'
  if (ports.includes(0)) return 'overlapping'
  return samePort && addresses.includes('') ? 'dangerously ambiguous' : undefined
}
