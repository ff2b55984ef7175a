// Checks on what containers may do, and as whom they run.

import type { PodSpec } from '#kinds'
import { type Breach, breach, containersOf, containerText, failing, quoted } from './check.ts'

export function allowPrivilegeEscalation(spec: PodSpec): Breach | undefined {
  const bad = failing(spec, ({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false)
  if (bad.length === 0) return undefined
  return breach('allowPrivilegeEscalation != false', [
    `${containerText(bad)} must set securityContext.allowPrivilegeEscalation=false`,
  ])
}

export const defaultCapabilities = new Set(
  'AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE SETFCAP SETGID SETPCAP SETUID SYS_CHROOT'.split(
    ' ',
  ),
)

/** Capabilities added beyond `allowed`, and by whom. */
export function addedBeyond(spec: PodSpec, allowed: ReadonlySet<string>): readonly string[] {
  const extra = new Set<string>()
  const bad = failing(spec, ({ securityContext }) => {
    const added = (securityContext?.capabilities?.add ?? []).filter((capability) => !allowed.has(capability))
    for (const capability of added) extra.add(capability)
    return added.length > 0
  })
  if (bad.length === 0) return []
  return [`${containerText(bad)} must not include ${quoted([...extra].sort())} in securityContext.capabilities.add`]
}

export function restrictedCapabilities(spec: PodSpec): Breach | undefined {
  const keeping = failing(spec, ({ securityContext }) => securityContext?.capabilities?.drop?.includes('ALL') !== true)
  const details = [
    ...(keeping.length === 0 ? [] : [`${containerText(keeping)} must set securityContext.capabilities.drop=["ALL"]`]),
    ...addedBeyond(spec, new Set(['NET_BIND_SERVICE'])),
  ]
  return details.length === 0 ? undefined : { reason: 'unrestricted capabilities', detail: details.join('; ') }
}

export function privileged(spec: PodSpec): Breach | undefined {
  const bad = failing(spec, ({ securityContext }) => securityContext?.privileged === true)
  return bad.length === 0
    ? undefined
    : breach('privileged', [`${containerText(bad)} must not set securityContext.privileged=true`])
}

export function procMount(spec: PodSpec): Breach | undefined {
  const isBad = (type: string | undefined): boolean => type !== undefined && type !== '' && type !== 'Default'
  const bad = failing(spec, ({ securityContext }) => isBad(securityContext?.procMount))
  const types = new Set(
    containersOf(spec)
      .map(({ securityContext }) => securityContext?.procMount ?? '')
      .filter(isBad),
  )
  return bad.length === 0
    ? undefined
    : breach('procMount', [
        `${containerText(bad)} must not set securityContext.procMount to ${quoted([...types].sort())}`,
      ])
}

export function runAsNonRoot(spec: PodSpec): Breach | undefined {
  const pod = spec.securityContext?.runAsNonRoot
  const denied = failing(spec, ({ securityContext }) => securityContext?.runAsNonRoot === false)
  const silent = pod === true ? [] : failing(spec, ({ securityContext }) => securityContext?.runAsNonRoot === undefined)
  const must = 'must not set securityContext.runAsNonRoot=false'
  const details = [
    ...(pod === false ? [`pod ${must}`] : []),
    ...(denied.length === 0 ? [] : [`${containerText(denied)} ${must}`]),
  ]
  if (details.length > 0) return breach('runAsNonRoot != true', details)
  return silent.length === 0
    ? undefined
    : breach('runAsNonRoot != true', [`pod or ${containerText(silent)} must set securityContext.runAsNonRoot=true`])
}

export function runAsUser(spec: PodSpec): Breach | undefined {
  const bad = failing(spec, ({ securityContext }) => securityContext?.runAsUser === 0)
  const details = [
    ...(spec.securityContext?.runAsUser === 0 ? ['pod must not set runAsUser=0'] : []),
    ...(bad.length === 0 ? [] : [`${containerText(bad)} must not set runAsUser=0`]),
  ]
  return breach('runAsUser=0', details)
}

export function windowsHostProcess(spec: PodSpec): Breach | undefined {
  const bad = failing(spec, ({ securityContext }) => securityContext?.windowsOptions?.hostProcess === true)
  const must = 'must not set securityContext.windowsOptions.hostProcess=true'
  return breach('hostProcess', [
    ...(spec.securityContext?.windowsOptions?.hostProcess === true ? [`pod ${must}`] : []),
    ...(bad.length === 0 ? [] : [`${containerText(bad)} ${must}`]),
  ])
}
