// Checks on what pods may have of their node: its namespaces, ports, files, and probes of other hosts.

import type { PodSpec } from '#kinds'
import { type Breach, breach, containerText, failing, quoted } from './check.ts'

export const hostNamespaces = (spec: PodSpec): Breach | undefined =>
  breach(
    'host namespaces',
    (['hostNetwork', 'hostPID', 'hostIPC'] as const)
      .filter((field) => spec[field] === true)
      .map((field) => `${field}=true`),
  )

export function hostPathVolumes(spec: PodSpec): Breach | undefined {
  const bad = (spec.volumes ?? []).filter(({ hostPath }) => hostPath !== undefined).map(({ name }) => name)
  return bad.length === 0
    ? undefined
    : breach('hostPath volumes', [`${bad.length === 1 ? 'volume' : 'volumes'} ${quoted(bad)}`])
}

export function hostPorts(spec: PodSpec): Breach | undefined {
  const ports = new Set<number>()
  const bad = failing(spec, (container) => {
    const own = (container.ports ?? []).flatMap(({ hostPort }) => (hostPort ? [hostPort] : []))
    for (const port of own) ports.add(port)
    return own.length > 0
  })
  if (bad.length === 0) return undefined
  const [uses, noun] = [bad.length === 1 ? 'uses' : 'use', ports.size === 1 ? 'hostPort' : 'hostPorts']
  const numbers = [...ports].sort((a, b) => a - b).join(', ')
  return { reason: 'hostPort', detail: `${containerText(bad)} ${uses} ${noun} ${numbers}` }
}

export function hostProbes(spec: PodSpec): Breach | undefined {
  const hosts = new Set<string>()
  const bad = failing(spec, ({ livenessProbe, readinessProbe, startupProbe, lifecycle }) => {
    const handlers = [livenessProbe, readinessProbe, startupProbe, lifecycle?.postStart, lifecycle?.preStop]
    const own = handlers.flatMap((handler) => [handler?.httpGet?.host, handler?.tcpSocket?.host]).filter(isGiven)
    for (const host of own) hosts.add(host)
    return own.length > 0
  })
  if (bad.length === 0) return undefined
  const noun = hosts.size === 1 ? 'probe or lifecycle host' : 'probe or lifecycle hosts'
  const who = `${containerText(bad.toSorted())} ${bad.length === 1 ? 'uses' : 'use'}`
  return { reason: 'probe or lifecycle host', detail: `${who} ${noun} ${quoted([...hosts].sort())}` }
}

const isGiven = (text: string | undefined): text is string => text !== undefined && text !== ''

const plainVolumes = new Set([
  'name',
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'image',
  'persistentVolumeClaim',
  'projected',
  'secret',
])

export function restrictedVolumes(spec: PodSpec): Breach | undefined {
  const types = new Set<string>()
  const bad = (spec.volumes ?? []).filter((volume) => {
    const type = Object.keys(volume).find((field) => !plainVolumes.has(field))
    if (type !== undefined) types.add(type)
    return type !== undefined
  })
  if (bad.length === 0) return undefined
  const names = quoted(bad.map(({ name }) => name))
  const head = bad.length === 1 ? `volume ${names} uses` : `volumes ${names} use`
  return {
    reason: 'restricted volume types',
    detail: `${head} restricted volume ${types.size === 1 ? 'type' : 'types'} ${quoted([...types].sort())}`,
  }
}
