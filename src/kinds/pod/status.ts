// Faults of a change of a Pod's status.

import { duplicate, type FieldError, forbidden, invalid } from '../field-error.ts'
import type { ContainerStatus, Pod } from '../generated/types.ts'
import { dnsSubdomain, immutableText, numericId, qualifiedName } from '../metadata/formats.ts'
import { checkAddress, isDualStack, parseAddress } from '../network/addresses.ts'
import { checkAnnotationChanges } from './update.ts'

const systemConditions: readonly string[] = ['PodScheduled', 'Ready', 'Initialized']

export function validatePodStatus(pod: Pod, old: Pod): readonly FieldError[] {
  const errors: FieldError[] = []
  const { status = {} } = pod
  const before = old.status ?? {}
  checkAnnotationChanges(pod, old, errors)
  status.conditions?.forEach(({ type }, i) => {
    if (systemConditions.includes(type)) return
    for (const text of qualifiedName(type)) errors.push(invalid(`metadata.conditions[${i}].Type`, type, text))
  })
  const { nominatedNodeName } = status
  if (nominatedNodeName && nominatedNodeName !== before.nominatedNodeName)
    for (const text of dnsSubdomain(nominatedNodeName))
      errors.push(invalid('status.nominatedNodeName', nominatedNodeName, text))
  if (status.qosClass !== before.qosClass && before.qosClass !== undefined)
    errors.push(invalid('status.qosClass', status.qosClass, immutableText))
  checkTransitions(pod, old, errors)
  checkAddresses(status.podIPs ?? [], 'status.podIPs', errors)
  const hostIPs = status.hostIPs ?? []
  if (hostIPs[0] !== undefined && status.hostIP !== hostIPs[0].ip)
    errors.push(invalid('status.hostIPs[0].ip', hostIPs[0].ip, 'must be equal to `hostIP`'))
  checkAddresses(hostIPs, 'status.hostIPs', errors)
  for (const field of ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'] as const)
    status[field]?.forEach((container, i) => {
      checkUser(container, `status.${field}[${i}].linux`, errors)
    })
  return errors
}

function checkTransitions(pod: Pod, old: Pod, errors: FieldError[]): void {
  const policy = old.spec.restartPolicy ?? 'Always'
  const sidecars = new Set(
    (old.spec.initContainers ?? []).filter((c) => c.restartPolicy === 'Always').map(({ name }) => name),
  )
  for (const field of ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'] as const) {
    const restarts = field === 'ephemeralContainerStatuses' ? 'Never' : policy
    if (restarts === 'Always') continue
    old.status?.[field]?.forEach((before, i) => {
      const ended = before.state?.terminated
      if (ended === undefined || (ended.exitCode !== 0 && restarts === 'OnFailure')) return
      if (field === 'initContainerStatuses' && sidecars.has(before.name)) return
      const now = pod.status?.[field]?.filter(({ name }) => name === before.name) ?? []
      for (const status of now)
        if (status.state?.terminated === undefined)
          errors.push(forbidden(`status.${field}[${i}].state`, 'may not be transitioned to non-terminated state'))
    })
  }
}

function checkAddresses(list: readonly { readonly ip: string }[], path: string, errors: FieldError[]): void {
  list.forEach(({ ip }, i) => {
    checkAddress(ip, `${path}[${i}]`, errors)
  })
  if (list.length < 2) return
  const families = list.flatMap(({ ip }) => parseAddress(ip) ?? [])
  if (!isDualStack(families) || list.length > 2)
    errors.push(
      invalid(
        path,
        list.map(({ ip }) => ({ IP: ip })),
        'may specify no more than one IP for each IP family',
      ),
    )
  const seen = new Set<string>()
  list.forEach(({ ip }, i) => {
    if (seen.has(ip)) errors.push(duplicate(`${path}[${i}]`, { IP: ip }))
    seen.add(ip)
  })
}

function checkUser(status: ContainerStatus, path: string, errors: FieldError[]): void {
  const user = status.user?.linux
  if (user === undefined) return
  for (const field of ['uid', 'gid'] as const)
    for (const text of numericId(user[field])) errors.push(invalid(`${path}.${field}`, user[field], text))
  user.supplementalGroups?.forEach((group, i) => {
    for (const text of numericId(group)) errors.push(invalid(`${path}.supplementalGroups[${i}]`, group, text))
  })
}
