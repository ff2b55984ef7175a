// Checks on what pods may ask of the kernel: seccomp, SELinux, AppArmor and sysctls.

import type { PodSpec } from '#kinds'
import { type Breach, breach, type Check, containersOf, containerText, failing, quoted } from './check.ts'

const seccompMust = 'must not set securityContext.seccompProfile.type to'

function seccomp(isFine: (type: string) => boolean, mustBeSet: boolean): Check['find'] {
  return (spec) => {
    const pod = spec.securityContext?.seccompProfile?.type
    const types = new Set<string>()
    const bad = failing(spec, ({ securityContext }) => {
      const type = securityContext?.seccompProfile?.type
      if (type === undefined || isFine(type)) return false
      types.add(type)
      return true
    })
    const details = [
      ...(pod !== undefined && !isFine(pod) ? [`pod ${seccompMust} ${JSON.stringify(pod)}`] : []),
      ...(bad.length === 0 ? [] : [`${containerText(bad)} ${seccompMust} ${quoted([...types].sort())}`]),
    ]
    if (details.length > 0) return breach('seccompProfile', details)
    if (!mustBeSet || pod !== undefined) return undefined
    const silent = failing(spec, ({ securityContext }) => securityContext?.seccompProfile?.type === undefined)
    const text = `pod or ${containerText(silent)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`
    return silent.length === 0 ? undefined : breach('seccompProfile', [text])
  }
}

export const seLinuxTypes = ['', 'container_t', 'container_init_t', 'container_kvm_t']

export const seLinuxOptions = (allowed: readonly string[]): Check['find'] => {
  const types = new Set(allowed)
  return (spec) => seLinuxBreach(spec, types)
}

function seLinuxBreach(spec: PodSpec, allowed: ReadonlySet<string>): Breach | undefined {
  type Options = NonNullable<NonNullable<PodSpec['securityContext']>['seLinuxOptions']>
  const isBad = (options: Options | undefined): boolean =>
    options !== undefined &&
    (!allowed.has(options.type ?? '') || (options.user ?? '') !== '' || (options.role ?? '') !== '')
  const pod = spec.securityContext?.seLinuxOptions
  const bad = containersOf(spec).filter(({ securityContext }) => isBad(securityContext?.seLinuxOptions))
  const all = [
    ...(isBad(pod) && pod !== undefined ? [pod] : []),
    ...bad.flatMap(({ securityContext }) => securityContext?.seLinuxOptions ?? []),
  ]
  if (all.length === 0) return undefined
  const types = [...new Set(all.map(({ type = '' }) => type).filter((type) => !allowed.has(type)))].sort()
  const who = [
    ...(isBad(pod) ? ['pod'] : []),
    ...(bad.length === 0 ? [] : [containerText(bad.map(({ name }) => name))]),
  ]
  const faults = [
    ...(types.length === 0 ? [] : [`${types.length === 1 ? 'type' : 'types'} ${quoted(types)}`]),
    ...(all.some(({ user = '' }) => user !== '') ? ['user may not be set'] : []),
    ...(all.some(({ role = '' }) => role !== '') ? ['role may not be set'] : []),
  ]
  return {
    reason: 'seLinuxOptions',
    detail: `${who.join(' and ')} set forbidden securityContext.seLinuxOptions: ${faults.join('; ')}`,
  }
}

export function appArmor(spec: PodSpec): Breach | undefined {
  const isBad = (type: string | undefined): boolean => type === 'Unconfined'
  const bad = failing(spec, ({ securityContext }) => isBad(securityContext?.appArmorProfile?.type))
  const must = 'must not set AppArmor profile type to "Unconfined"'
  return breach('forbidden AppArmor profile', [
    ...(isBad(spec.securityContext?.appArmorProfile?.type) ? [`pod ${must}`] : []),
    ...(bad.length === 0 ? [] : [`${containerText(bad)} ${must}`]),
  ])
}

const ipv4 = (names: string): readonly string[] => names.split(' ').map((name) => `net.ipv4.${name}`)

/** Each group with the minor version of the standards from which on it may be set. */
export const safeSysctls: readonly (readonly [since: number, names: readonly string[]])[] = [
  [
    0,
    [
      'kernel.shm_rmid_forced',
      ...ipv4('ip_local_port_range ip_unprivileged_port_start tcp_syncookies ping_group_range'),
    ],
  ],
  [27, ipv4('ip_local_reserved_ports')],
  [29, ipv4('tcp_keepalive_time tcp_fin_timeout tcp_keepalive_intvl tcp_keepalive_probes')],
  [32, ipv4('tcp_rmem tcp_wmem')],
]

export function sysctls(version: number): Check['find'] {
  const safe = new Set(safeSysctls.flatMap(([since, names]) => (since <= version ? names : [])))
  return (spec) =>
    breach(
      'forbidden sysctls',
      (spec.securityContext?.sysctls ?? []).map(({ name }) => name).filter((name) => !safe.has(name)),
    )
}

export const seccompBaseline = seccomp((type) => type !== 'Unconfined', false)
export const seccompRestricted = seccomp((type) => type === 'RuntimeDefault' || type === 'Localhost', true)
