// The checks of the Pod Security Standards that the levels `baseline` and `restricted` ask for, in the words of
// k8s.io/pod-security-admission/policy. Pure. A check answers why a pod breaks it, or nothing.

import type { Container, PodSpec } from '#kinds'

export interface Breach {
  readonly reason: string
  readonly detail: string
}

export interface Check {
  /** Checks of one id are versions of it: the newest that the asked version of the standards knows counts. */
  readonly id: string
  readonly level: 'baseline' | 'restricted'
  /** The first minor version of the standards that has it; absent: all. */
  readonly since?: number
  /** Baseline checks that a restricted one takes the place of. */
  readonly replaces?: string
  readonly find: (spec: PodSpec) => Breach | undefined
}

type AnyContainer = Pick<
  Container,
  'name' | 'securityContext' | 'ports' | 'livenessProbe' | 'readinessProbe' | 'startupProbe' | 'lifecycle'
>

const containersOf = (spec: PodSpec): readonly AnyContainer[] => [
  ...(spec.initContainers ?? []),
  ...(spec.containers ?? []),
  ...(spec.ephemeralContainers ?? []),
]

const quoted = (names: Iterable<string>): string => [...names].map((name) => JSON.stringify(name)).join(', ')

const containerText = (names: readonly string[]): string =>
  `${names.length === 1 ? 'container' : 'containers'} ${quoted(names)}`

const failing = (spec: PodSpec, isBad: (container: AnyContainer) => boolean): readonly string[] =>
  containersOf(spec)
    .filter(isBad)
    .map(({ name }) => name)

const breach = (reason: string, details: readonly string[]): Breach | undefined =>
  details.length === 0 ? undefined : { reason, detail: details.join(', ') }

const isWindows = (spec: PodSpec): boolean => spec.os?.name === 'windows'

/** What pods of Windows have nothing to do with; the standards know of them since 1.25. */
const notOnWindows =
  (find: Check['find']): Check['find'] =>
  (spec) =>
    isWindows(spec) ? undefined : find(spec)

function allowPrivilegeEscalation(spec: PodSpec): Breach | undefined {
  const bad = failing(spec, ({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false)
  if (bad.length === 0) return undefined
  return breach('allowPrivilegeEscalation != false', [
    `${containerText(bad)} must set securityContext.allowPrivilegeEscalation=false`,
  ])
}

const defaultCapabilities = new Set(
  'AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE SETFCAP SETGID SETPCAP SETUID SYS_CHROOT'.split(
    ' ',
  ),
)

/** Capabilities added beyond `allowed`, and by whom. */
function addedBeyond(spec: PodSpec, allowed: ReadonlySet<string>): readonly string[] {
  const extra = new Set<string>()
  const bad = failing(spec, ({ securityContext }) => {
    const added = (securityContext?.capabilities?.add ?? []).filter((capability) => !allowed.has(capability))
    for (const capability of added) extra.add(capability)
    return added.length > 0
  })
  if (bad.length === 0) return []
  return [`${containerText(bad)} must not include ${quoted([...extra].sort())} in securityContext.capabilities.add`]
}

function restrictedCapabilities(spec: PodSpec): Breach | undefined {
  const keeping = failing(spec, ({ securityContext }) => securityContext?.capabilities?.drop?.includes('ALL') !== true)
  const details = [
    ...(keeping.length === 0 ? [] : [`${containerText(keeping)} must set securityContext.capabilities.drop=["ALL"]`]),
    ...addedBeyond(spec, new Set(['NET_BIND_SERVICE'])),
  ]
  return details.length === 0 ? undefined : { reason: 'unrestricted capabilities', detail: details.join('; ') }
}

const hostNamespaces = (spec: PodSpec): Breach | undefined =>
  breach(
    'host namespaces',
    (['hostNetwork', 'hostPID', 'hostIPC'] as const)
      .filter((field) => spec[field] === true)
      .map((field) => `${field}=true`),
  )

function hostPathVolumes(spec: PodSpec): Breach | undefined {
  const bad = (spec.volumes ?? []).filter(({ hostPath }) => hostPath !== undefined).map(({ name }) => name)
  return bad.length === 0
    ? undefined
    : breach('hostPath volumes', [`${bad.length === 1 ? 'volume' : 'volumes'} ${quoted(bad)}`])
}

function hostPorts(spec: PodSpec): Breach | undefined {
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

function hostProbes(spec: PodSpec): Breach | undefined {
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

function privileged(spec: PodSpec): Breach | undefined {
  const bad = failing(spec, ({ securityContext }) => securityContext?.privileged === true)
  return bad.length === 0
    ? undefined
    : breach('privileged', [`${containerText(bad)} must not set securityContext.privileged=true`])
}

function procMount(spec: PodSpec): Breach | undefined {
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

function restrictedVolumes(spec: PodSpec): Breach | undefined {
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

function runAsNonRoot(spec: PodSpec): Breach | undefined {
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

function runAsUser(spec: PodSpec): Breach | undefined {
  const bad = failing(spec, ({ securityContext }) => securityContext?.runAsUser === 0)
  const details = [
    ...(spec.securityContext?.runAsUser === 0 ? ['pod must not set runAsUser=0'] : []),
    ...(bad.length === 0 ? [] : [`${containerText(bad)} must not set runAsUser=0`]),
  ]
  return breach('runAsUser=0', details)
}

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

const seLinuxTypes = ['', 'container_t', 'container_init_t', 'container_kvm_t']

const seLinuxOptions = (allowed: readonly string[]): Check['find'] => {
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

const ipv4 = (names: string): readonly string[] => names.split(' ').map((name) => `net.ipv4.${name}`)

/** Each group with the minor version of the standards from which on it may be set. */
const safeSysctls: readonly (readonly [since: number, names: readonly string[]])[] = [
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

function sysctls(version: number): Check['find'] {
  const safe = new Set(safeSysctls.flatMap(([since, names]) => (since <= version ? names : [])))
  return (spec) =>
    breach(
      'forbidden sysctls',
      (spec.securityContext?.sysctls ?? []).map(({ name }) => name).filter((name) => !safe.has(name)),
    )
}

function windowsHostProcess(spec: PodSpec): Breach | undefined {
  const bad = failing(spec, ({ securityContext }) => securityContext?.windowsOptions?.hostProcess === true)
  const must = 'must not set securityContext.windowsOptions.hostProcess=true'
  return breach('hostProcess', [
    ...(spec.securityContext?.windowsOptions?.hostProcess === true ? [`pod ${must}`] : []),
    ...(bad.length === 0 ? [] : [`${containerText(bad)} ${must}`]),
  ])
}

function appArmor(spec: PodSpec): Breach | undefined {
  const isBad = (type: string | undefined): boolean => type === 'Unconfined'
  const bad = failing(spec, ({ securityContext }) => isBad(securityContext?.appArmorProfile?.type))
  const must = 'must not set AppArmor profile type to "Unconfined"'
  return breach('forbidden AppArmor profile', [
    ...(isBad(spec.securityContext?.appArmorProfile?.type) ? [`pod ${must}`] : []),
    ...(bad.length === 0 ? [] : [`${containerText(bad)} ${must}`]),
  ])
}

const seccompBaseline = seccomp((type) => type !== 'Unconfined', false)
const seccompRestricted = seccomp((type) => type === 'RuntimeDefault' || type === 'Localhost', true)

/** In the order in which breaches are told. */
export const checks: readonly Check[] = [
  { id: 'allowPrivilegeEscalation', level: 'restricted', since: 8, find: allowPrivilegeEscalation },
  { id: 'allowPrivilegeEscalation', level: 'restricted', since: 25, find: notOnWindows(allowPrivilegeEscalation) },
  { id: 'appArmorProfile', level: 'baseline', find: appArmor },
  {
    id: 'capabilities_baseline',
    level: 'baseline',
    find: (spec) => breach('non-default capabilities', addedBeyond(spec, defaultCapabilities)),
  },
  {
    id: 'capabilities_restricted',
    level: 'restricted',
    since: 22,
    replaces: 'capabilities_baseline',
    find: restrictedCapabilities,
  },
  {
    id: 'capabilities_restricted',
    level: 'restricted',
    since: 25,
    replaces: 'capabilities_baseline',
    find: notOnWindows(restrictedCapabilities),
  },
  { id: 'hostNamespaces', level: 'baseline', find: hostNamespaces },
  { id: 'hostPathVolumes', level: 'baseline', find: hostPathVolumes },
  { id: 'hostPorts', level: 'baseline', find: hostPorts },
  { id: 'hostProbesAndHostLifecycle', level: 'baseline', since: 34, find: hostProbes },
  { id: 'privileged', level: 'baseline', find: privileged },
  { id: 'procMount', level: 'baseline', find: procMount },
  { id: 'restrictedVolumes', level: 'restricted', replaces: 'hostPathVolumes', find: restrictedVolumes },
  { id: 'runAsNonRoot', level: 'restricted', find: runAsNonRoot },
  { id: 'runAsUser', level: 'restricted', since: 23, find: runAsUser },
  { id: 'seLinuxOptions', level: 'baseline', find: seLinuxOptions(seLinuxTypes) },
  { id: 'seLinuxOptions', level: 'baseline', since: 31, find: seLinuxOptions([...seLinuxTypes, 'container_engine_t']) },
  { id: 'seccompProfile_baseline', level: 'baseline', since: 19, find: seccompBaseline },
  {
    id: 'seccompProfile_restricted',
    level: 'restricted',
    since: 19,
    replaces: 'seccompProfile_baseline',
    find: seccompRestricted,
  },
  {
    id: 'seccompProfile_restricted',
    level: 'restricted',
    since: 25,
    replaces: 'seccompProfile_baseline',
    find: notOnWindows(seccompRestricted),
  },
  ...safeSysctls.map(([since]): Check => ({ id: 'sysctls', level: 'baseline', since, find: sysctls(since) })),
  { id: 'windowsHostProcess', level: 'baseline', find: windowsHostProcess },
]
