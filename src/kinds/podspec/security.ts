// Faults of security contexts, of the pod and of its containers.

import { duplicate, type FieldError, forbidden, invalid, notSupported, required, tooLong } from '../field-error.ts'
import type {
  AppArmorProfile,
  PodSecurityContext,
  PodSpec,
  SeccompProfile,
  SecurityContext,
  Sysctl,
} from '../generated/types.ts'
import { asGoStruct, goStruct } from '../go-struct.ts'
import { numericId } from '../metadata/formats.ts'
import { checkDescending } from './paths.ts'
import { allContainers, checkWindowsOptions } from './windows.ts'

const profile = goStruct('Type="" LocalhostProfile')
const internalContext = goStruct(
  'Capabilities Privileged SELinuxOptions:seLinuxOptions WindowsOptions RunAsUser RunAsGroup RunAsNonRoot ReadOnlyRootFilesystem AllowPrivilegeEscalation ProcMount SeccompProfile AppArmorProfile',
  {
    Capabilities: goStruct('Add Drop'),
    SELinuxOptions: goStruct('User="" Role="" Type="" Level=""'),
    WindowsOptions: goStruct(
      'GMSACredentialSpecName:gmsaCredentialSpecName GMSACredentialSpec:gmsaCredentialSpec RunAsUserName HostProcess',
    ),
    SeccompProfile: profile,
    AppArmorProfile: profile,
  },
)

const procMounts: readonly string[] = ['Default', 'Unmasked']

export function checkContainerSecurity(
  context: SecurityContext | undefined,
  hostUsers: boolean,
  { path, errors }: { readonly path: string; readonly errors: FieldError[] },
): void {
  if (context === undefined) return
  checkIds(context, ['runAsUser', 'runAsGroup'], { path, errors })
  const { procMount } = context
  if (procMount !== undefined) {
    if (!procMounts.includes(procMount)) errors.push(notSupported(`${path}.procMount`, procMount, procMounts))
    if (hostUsers && procMount === 'Unmasked')
      errors.push(invalid(`${path}.procMount`, procMount, '`hostUsers` must be false to use `Unmasked`'))
  }
  checkSeccomp(context.seccompProfile, `${path}.seccompProfile`, errors)
  if (context.allowPrivilegeEscalation === false) {
    const cannot = 'cannot set `allowPrivilegeEscalation` to false and'
    if (context.privileged === true)
      errors.push(invalid(path, asGoStruct(internalContext, context), `${cannot} \`privileged\` to true`))
    if (context.capabilities?.add?.includes('CAP_SYS_ADMIN'))
      errors.push(invalid(path, asGoStruct(internalContext, context), `${cannot} \`capabilities.Add\` CAP_SYS_ADMIN`))
  }
  checkWindowsOptions(context.windowsOptions, `${path}.windowsOptions`, errors)
  checkAppArmor(context.appArmorProfile, `${path}.appArmorProfile`, errors)
}

type IdField = 'fsGroup' | 'runAsUser' | 'runAsGroup'

function checkIds(
  context: { readonly [field in IdField]?: number },
  fields: readonly IdField[],
  { path, errors }: { readonly path: string; readonly errors: FieldError[] },
): void {
  for (const field of fields) {
    const id = context[field]
    if (id !== undefined) for (const text of numericId(id)) errors.push(invalid(`${path}.${field}`, id, text))
  }
}

export function checkPodSecurity(spec: PodSpec, path: string, errors: FieldError[]): void {
  const context = spec.securityContext
  if (context === undefined) return
  checkIds(context, ['fsGroup', 'runAsUser', 'runAsGroup'], { path, errors })
  context.supplementalGroups?.forEach((group, i) => {
    for (const text of numericId(group)) errors.push(invalid(`${path}.supplementalGroups[${i}]`, group, text))
  })
  if (spec.shareProcessNamespace === true && spec.hostPID === true)
    errors.push(
      invalid(`${path}.shareProcessNamespace`, true, 'ShareProcessNamespace and HostPID cannot both be enabled'),
    )
  checkSysctls(context.sysctls ?? [], spec, { path: `${path}.sysctls`, errors })
  checkChoice(context, 'fsGroupChangePolicy', { choices: ['Always', 'OnRootMismatch'], path, errors })
  checkSeccomp(context.seccompProfile, `${path}.seccompProfile`, errors)
  checkWindowsOptions(context.windowsOptions, `${path}.windowsOptions`, errors)
  checkAppArmor(context.appArmorProfile, `${path}.appArmorProfile`, errors)
  checkChoice(context, 'supplementalGroupsPolicy', { choices: ['Merge', 'Strict'], path, errors })
  // Another policy than this one asks for the feature SELinuxMount, which is off by default.
  checkChoice(context, 'seLinuxChangePolicy', { choices: ['Recursive'], path, errors })
}

function checkChoice(
  context: PodSecurityContext,
  field: 'fsGroupChangePolicy' | 'supplementalGroupsPolicy' | 'seLinuxChangePolicy',
  target: { readonly choices: readonly string[]; readonly path: string; readonly errors: FieldError[] },
): void {
  const value = context[field]
  if (value !== undefined && !target.choices.includes(value))
    target.errors.push(notSupported(`${target.path}.${field}`, value, target.choices))
}

const profileTypes: readonly string[] = ['Localhost', 'RuntimeDefault', 'Unconfined']

function checkSeccomp(seccomp: SeccompProfile | undefined, path: string, errors: FieldError[]): void {
  if (seccomp === undefined) return
  if (!seccomp.type) errors.push(required(`${path}.type`, 'type is required when seccompProfile is set'))
  else if (!profileTypes.includes(seccomp.type)) errors.push(notSupported(`${path}.type`, seccomp.type, profileTypes))
  const local = seccomp.localhostProfile
  if (seccomp.type === 'Localhost') {
    if (local === undefined)
      errors.push(required(`${path}.localhostProfile`, 'must be set when seccomp type is Localhost'))
    else checkDescending(local, `${path}.localhostProfile`, errors)
  } else if (local !== undefined)
    errors.push(
      invalid(
        `${path}.localhostProfile`,
        asGoStruct(profile, seccomp),
        'can only be set when seccomp type is Localhost',
      ),
    )
}

function checkAppArmor(armor: AppArmorProfile | undefined, path: string, errors: FieldError[]): void {
  if (armor === undefined) return
  const local = armor.localhostProfile
  if (!armor.type) errors.push(required(`${path}.type`, 'type is required when appArmorProfile is set'))
  else if (!profileTypes.includes(armor.type)) errors.push(notSupported(`${path}.type`, armor.type, profileTypes))
  else if (armor.type !== 'Localhost') {
    if (local !== undefined)
      errors.push(invalid(`${path}.localhostProfile`, local, 'can only be set when AppArmor type is Localhost'))
  } else if (local === undefined)
    errors.push(required(`${path}.localhostProfile`, 'must be set when AppArmor type is Localhost'))
  else {
    if (local.trim() !== local)
      errors.push(invalid(`${path}.localhostProfile`, local, 'must not be padded with whitespace'))
    else if (local === '')
      errors.push(required(`${path}.localhostProfile`, 'must be set when AppArmor type is Localhost'))
    if (local.length > 4095) errors.push(tooLong(`${path}.localhostProfile`, 4095))
  }
}

const sysctlName = '^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$'
const sysctlPattern = new RegExp(sysctlName)

function checkSysctls(
  sysctls: readonly Sysctl[],
  spec: PodSpec,
  { path, errors }: { readonly path: string; readonly errors: FieldError[] },
): void {
  const names = new Set<string>()
  sysctls.forEach(({ name = '' }, i) => {
    const at = `${path}[${i}].name`
    if (name === '') errors.push(required(at))
    else if (name.length > 253 || !sysctlPattern.test(name))
      errors.push(invalid(at, name, `must have at most 253 characters and match regex ${sysctlName}`))
    else if (names.has(name)) errors.push(duplicate(at, name))
    const namespace = sysctlNamespace(name)
    if (spec.hostNetwork === true && namespace === 'net')
      errors.push(invalid(at, name, "may not be specified when 'hostNetwork' is true"))
    else if (spec.hostIPC === true && namespace === 'ipc')
      errors.push(invalid(at, name, "may not be specified when 'hostIPC' is true"))
    names.add(name)
  })
}

function sysctlNamespace(name: string): 'ipc' | 'net' | undefined {
  const dotted = name.replaceAll('/', '.')
  if (dotted === 'kernel.sem' || /^(kernel\.shm|kernel\.msg|fs\.mqueue\.)/.test(dotted)) return 'ipc'
  return dotted.startsWith('net.') ? 'net' : undefined
}

/** A pod with its own user namespace cannot share other namespaces of the host, nor have block devices mapped. */
export function checkHostUsers(spec: PodSpec, path: string, errors: FieldError[]): void {
  if (spec.hostUsers !== false) return
  const text = 'when `hostUsers` is false'
  if (spec.hostNetwork) errors.push(forbidden(`${path}.hostNetwork`, text))
  if (spec.hostPID) errors.push(forbidden(`${path}.HostPID`, text))
  if (spec.hostIPC) errors.push(forbidden(`${path}.HostIPC`, text))
  for (const { container, at } of allContainers(spec, path))
    if ((container.volumeDevices ?? []).length > 0) errors.push(forbidden(`${at}.volumeDevices`, text))
}
