// Faults that depend on the operating system of a pod, and those of Windows options.

import { type FieldError, forbidden, invalid, notSupported, required } from '../field-error.ts'
import type { Container, PodSpec, WindowsSecurityContextOptions } from '../generated/types.ts'
import { dnsSubdomain } from '../metadata/formats.ts'

interface VisitedContainer {
  readonly container: Container
  readonly at: string
}

/** All containers of a spec with their paths: init, regular, ephemeral. */
export function allContainers(spec: PodSpec, path: string): readonly VisitedContainer[] {
  return (['initContainers', 'containers', 'ephemeralContainers'] as const).flatMap((field) =>
    (spec[field] ?? []).map((container: Container, i: number) => ({ container, at: `${path}.${field}[${i}]` })),
  )
}

const systems: readonly string[] = ['linux', 'windows']

export function checkOperatingSystem(spec: PodSpec, path: string, errors: FieldError[]): void {
  const { os } = spec
  if (os === undefined) return
  if (!os.name) errors.push(required(`${path}.os.name`, 'cannot be empty'))
  else if (!systems.includes(os.name)) errors.push(notSupported(`${path}.os`, os.name, systems))
  else if (os.name === 'linux') checkLinux(spec, path, errors)
  else checkWindows(spec, path, errors)
}

function checkLinux(spec: PodSpec, path: string, errors: FieldError[]): void {
  const text = 'windows options cannot be set for a linux pod'
  if (spec.securityContext?.windowsOptions !== undefined)
    errors.push(forbidden(`${path}.securityContext.windowsOptions`, text))
  for (const { container, at } of allContainers(spec, path))
    if (container.securityContext?.windowsOptions !== undefined)
      errors.push(forbidden(`${at}.securityContext.windowsOptions`, text))
}

const linuxOnlyOfPod = [
  'securityContext.appArmorProfile',
  'securityContext.seLinuxOptions',
  'hostUsers',
  'hostPID',
  'hostIPC',
  'securityContext.seccompProfile',
  'securityContext.fsGroup',
  'securityContext.fsGroupChangePolicy',
  'securityContext.sysctls',
  'shareProcessNamespace',
  'securityContext.runAsUser',
  'securityContext.runAsGroup',
  'securityContext.supplementalGroups',
  'securityContext.supplementalGroupsPolicy',
  'securityContext.seLinuxChangePolicy',
]

const linuxOnlyOfContainer = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
] as const

/** What says nothing, such as not to share the host's processes, is let pass. */
const isGiven = (field: string, value: unknown): boolean => {
  if (field === 'hostPID' || field === 'hostIPC') return value === true
  return field.endsWith('.sysctls') ? Array.isArray(value) && value.length > 0 : value !== undefined
}

function checkWindows(spec: PodSpec, path: string, errors: FieldError[]): void {
  const text = 'cannot be set for a windows pod'
  for (const field of linuxOnlyOfPod) {
    const inContext = field.startsWith('securityContext.')
    const holder = (inContext ? spec.securityContext : spec) as Readonly<Record<string, unknown>> | undefined
    const value = holder?.[inContext ? field.slice('securityContext.'.length) : field]
    if (isGiven(field, value)) errors.push(forbidden(`${path}.${field}`, text))
  }
  for (const { container, at } of allContainers(spec, path))
    for (const field of linuxOnlyOfContainer)
      if (container.securityContext?.[field] !== undefined)
        errors.push(forbidden(`${at}.securityContext.${field}`, text))
}

export function checkWindowsOptions(
  options: WindowsSecurityContextOptions | undefined,
  path: string,
  errors: FieldError[],
): void {
  if (options === undefined) return
  const { gmsaCredentialSpecName, gmsaCredentialSpec, runAsUserName } = options
  if (gmsaCredentialSpecName !== undefined)
    for (const text of dnsSubdomain(gmsaCredentialSpecName))
      errors.push(invalid(`${path}.gmsaCredentialSpecName`, gmsaCredentialSpecName, text))
  if (gmsaCredentialSpec === '')
    errors.push(invalid(`${path}.gmsaCredentialSpec`, '', 'gmsaCredentialSpec cannot be an empty string'))
  else if (gmsaCredentialSpec !== undefined && gmsaCredentialSpec.length > 65536)
    errors.push(
      invalid(`${path}.gmsaCredentialSpec`, gmsaCredentialSpec, 'gmsaCredentialSpec size must be under 64 KiB'),
    )
  if (runAsUserName !== undefined)
    for (const text of userNameFaults(runAsUserName)) errors.push(invalid(`${path}.runAsUserName`, runAsUserName, text))
}

const dnsPart = '[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?'
const domainPattern = new RegExp(`^${dnsPart}(?:\\.${dnsPart})*$`)
const netBiosPattern = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/

function userNameFaults(name: string): readonly string[] {
  if (name === '') return ['runAsUserName cannot be an empty string']
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for control characters
  if (/[\u0000-\u001f\u007f]/.test(name)) return ['runAsUserName cannot contain control characters']
  const parts = name.split('\\')
  if (parts.length > 2) return ['runAsUserName cannot contain more than one backslash']
  const user = parts[parts.length - 1] ?? ''
  const domain = parts.length === 2 ? (parts[0] ?? '') : undefined
  const faults: string[] = []
  if (domain !== undefined && domain.length >= 256)
    faults.push("runAsUserName's Domain length must be under 256 characters")
  if (domain !== undefined && !netBiosPattern.test(domain) && !domainPattern.test(domain))
    faults.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format")
  if (user === '') faults.push("runAsUserName's User cannot be empty")
  else if (user.length > 104) faults.push("runAsUserName's User length must not be longer than 104 characters")
  if (/^[. ]+$/.test(user)) faults.push("runAsUserName's User cannot contain only periods or spaces")
  if (/["/\\:;|=,+*?<>@[\]]/.test(user))
    faults.push('runAsUserName\'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]')
  return faults
}

/** Host process containers come all or none, and on the network of the host. */
export function checkHostProcess(spec: PodSpec, path: string, errors: FieldError[]): void {
  const ofPod = spec.securityContext?.windowsOptions?.hostProcess
  const containers = allContainers(spec, path)
  let count = 0
  for (const { container, at } of containers) {
    const own = container.securityContext?.windowsOptions?.hostProcess
    if (ofPod !== undefined && own !== undefined && ofPod !== own)
      errors.push(
        invalid(
          `${at}.securityContext.windowsOptions.hostProcess`,
          own,
          `pod hostProcess value must be identical if both are specified, was ${ofPod}`,
        ),
      )
    if (own ?? ofPod) count++
  }
  if (count === 0) return
  if (count !== containers.length)
    errors.push(
      invalid(
        path,
        '',
        'If pod contains any hostProcess containers then all containers must be HostProcess containers',
      ),
    )
  if (spec.hostNetwork !== true)
    errors.push(
      invalid(`${path}.hostNetwork`, false, 'hostNetwork must be true if pod contains any hostProcess containers'),
    )
}
