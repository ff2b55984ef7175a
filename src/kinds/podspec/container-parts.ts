// Faults of what a container is made of: ports, environment, mounts, devices, pull and resize policies.

import { duplicate, type FieldError, forbidden, invalid, notFound, notSupported, required } from '../field-error.ts'
import type {
  Container,
  ContainerPort,
  ContainerResizePolicy,
  EnvFromSource,
  EnvVar,
  Volume,
  VolumeDevice,
  VolumeMount,
} from '../generated/types.ts'
import { configMapKey, dnsSubdomain, envVarName, portName, portNumber } from '../metadata/formats.ts'
import { protocols } from '../network/ports.ts'
import { checkFieldRef, checkResourceFieldRef, envFields } from './downward.ts'
import { checkDescending } from './paths.ts'

export function checkPorts(ports: readonly ContainerPort[], path: string, errors: FieldError[]): void {
  const names = new Set<string>()
  ports.forEach((port, i) => {
    const at = `${path}[${i}]`
    if (port.name) {
      const faults = portName(port.name)
      for (const text of faults) errors.push(invalid(`${at}.name`, port.name, text))
      if (faults.length === 0) {
        if (names.has(port.name)) errors.push(duplicate(`${at}.name`, port.name))
        names.add(port.name)
      }
    }
    if (!port.containerPort) errors.push(required(`${at}.containerPort`))
    else
      for (const text of portNumber(port.containerPort))
        errors.push(invalid(`${at}.containerPort`, port.containerPort, text))
    if (port.hostPort)
      for (const text of portNumber(port.hostPort)) errors.push(invalid(`${at}.hostPort`, port.hostPort, text))
    if (!port.protocol) errors.push(required(`${at}.protocol`))
    else if (!protocols.includes(port.protocol)) errors.push(notSupported(`${at}.protocol`, port.protocol, protocols))
  })
}

/** Two containers of a pod may not want the same port of the host. */
export function checkHostPorts(containers: readonly Container[], path: string, errors: FieldError[]): void {
  const taken = new Set<string>()
  containers.forEach((container, i) => {
    container.ports?.forEach((port, j) => {
      if (!port.hostPort) return
      const key = `${port.protocol}/${port.hostIP ?? ''}/${port.hostPort}`
      if (taken.has(key)) errors.push(duplicate(`${path}[${i}].ports[${j}].hostPort`, key))
      taken.add(key)
    })
  })
}

export function checkEnv(variables: readonly EnvVar[], path: string, errors: FieldError[]): void {
  variables.forEach((variable, i) => {
    const at = `${path}[${i}]`
    if (!variable.name) errors.push(required(`${at}.name`))
    else for (const text of envVarName(variable.name)) errors.push(invalid(`${at}.name`, variable.name, text))
    checkValueFrom(variable, `${at}.valueFrom`, errors)
  })
}

function checkValueFrom(variable: EnvVar, path: string, errors: FieldError[]): void {
  const source = variable.valueFrom
  if (source === undefined) return
  let count = 0
  if (source.fieldRef !== undefined) {
    count++
    checkFieldRef(source.fieldRef, envFields, { path: `${path}.fieldRef`, errors })
  }
  if (source.resourceFieldRef !== undefined) {
    count++
    checkResourceFieldRef(source.resourceFieldRef, false, { path: `${path}.resourceFieldRef`, errors })
  }
  for (const field of ['configMapKeyRef', 'secretKeyRef'] as const) {
    const reference = source[field]
    if (reference === undefined) continue
    count++
    checkKeySelector(reference, `${path}.${field}`, errors)
  }
  if (count === 0)
    errors.push(
      invalid(path, '', 'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`'),
    )
  else if (variable.value) errors.push(invalid(path, '', 'may not be specified when `value` is not empty'))
  else if (count > 1) errors.push(invalid(path, '', 'may not have more than one field specified at a time'))
}

function checkKeySelector(
  reference: { readonly name?: string; readonly key: string },
  path: string,
  errors: FieldError[],
): void {
  const name = reference.name ?? ''
  for (const text of dnsSubdomain(name)) errors.push(invalid(`${path}.name`, name, text))
  if (!reference.key) errors.push(required(`${path}.key`))
  else for (const text of configMapKey(reference.key)) errors.push(invalid(`${path}.key`, reference.key, text))
}

export function checkEnvFrom(sources: readonly EnvFromSource[], path: string, errors: FieldError[]): void {
  sources.forEach((source, i) => {
    const at = `${path}[${i}]`
    if (source.prefix)
      for (const text of envVarName(source.prefix)) errors.push(invalid(`${at}.prefix`, source.prefix, text))
    const references = (['configMapRef', 'secretRef'] as const).filter((field) => source[field] !== undefined)
    for (const field of references) {
      const name = source[field]?.name
      if (!name) errors.push(required(`${at}.${field}.name`))
      else for (const text of dnsSubdomain(name)) errors.push(invalid(`${at}.${field}.name`, name, text))
    }
    if (references.length === 0) errors.push(invalid(path, '', 'must specify one of: `configMapRef` or `secretRef`'))
    else if (references.length > 1)
      errors.push(invalid(path, '', 'may not have more than one field specified at a time'))
  })
}

export interface MountScope {
  readonly container: Container
  readonly volumes: ReadonlyMap<string, Volume>
}

export function checkMounts(scope: MountScope, path: string, errors: FieldError[]): void {
  const devices = scope.container.volumeDevices ?? []
  const taken = new Set<string>()
  scope.container.volumeMounts?.forEach((mount, i) => {
    const at = `${path}[${i}]`
    if (!mount.name) errors.push(required(`${at}.name`))
    if (!scope.volumes.has(mount.name)) errors.push(notFound(`${at}.name`, mount.name ?? ''))
    if (!mount.mountPath) errors.push(required(`${at}.mountPath`))
    if (taken.has(mount.mountPath)) errors.push(invalid(`${at}.mountPath`, mount.mountPath, 'must be unique'))
    taken.add(mount.mountPath)
    if (devices.some((device) => device.name === mount.name))
      errors.push(invalid(`${at}.name`, mount.name, 'must not already exist in volumeDevices'))
    if (devices.some((device) => device.devicePath === mount.mountPath))
      errors.push(invalid(`${at}.mountPath`, mount.mountPath, 'must not already exist as a path in volumeDevices'))
    checkSubPaths(mount, path, { at, errors })
    checkPropagation(mount, scope.container, { path: `${path}.mountPropagation`, errors })
    checkRecursiveReadOnly(mount, `${path}.recursiveReadOnly`, errors)
  })
}

function checkSubPaths(
  mount: VolumeMount,
  path: string,
  { at, errors }: { readonly at: string; readonly errors: FieldError[] },
): void {
  if (mount.subPath) checkDescending(mount.subPath, `${path}.subPath`, errors)
  if (!mount.subPathExpr) return
  if (mount.subPath)
    errors.push(invalid(`${at}.subPathExpr`, mount.subPathExpr, 'subPathExpr and subPath are mutually exclusive'))
  checkDescending(mount.subPathExpr, `${path}.subPathExpr`, errors)
}

const propagations: readonly string[] = ['Bidirectional', 'HostToContainer', 'None']

function checkPropagation(
  mount: VolumeMount,
  container: Container,
  { path, errors }: { readonly path: string; readonly errors: FieldError[] },
): void {
  const propagation = mount.mountPropagation
  if (propagation === undefined) return
  if (!propagations.includes(propagation)) errors.push(notSupported(path, propagation, propagations))
  if (propagation === 'Bidirectional' && container.securityContext?.privileged !== true)
    errors.push(forbidden(path, 'Bidirectional mount propagation is available only to privileged containers'))
}

const recursions: readonly string[] = ['Disabled', 'Enabled', 'IfPossible']

function checkRecursiveReadOnly(mount: VolumeMount, path: string, errors: FieldError[]): void {
  const recursion = mount.recursiveReadOnly
  if (recursion === undefined || recursion === 'Disabled') return
  if (!recursions.includes(recursion)) {
    errors.push(notSupported(path, recursion, recursions))
    return
  }
  if (mount.readOnly !== true) errors.push(forbidden(path, 'may only be specified when readOnly is true'))
  if (mount.mountPropagation !== undefined && mount.mountPropagation !== 'None')
    errors.push(forbidden(path, 'may only be specified when mountPropagation is None or not specified'))
}

export function checkDevices(scope: MountScope, path: string, errors: FieldError[]): void {
  const mounts = scope.container.volumeMounts ?? []
  const names = new Set<string>()
  const paths = new Set<string>()
  scope.container.volumeDevices?.forEach((device: VolumeDevice, i) => {
    const at = `${path}[${i}]`
    const { name = '', devicePath = '' } = device
    const volume = scope.volumes.get(name)
    if (name === '') errors.push(required(`${at}.name`))
    if (names.has(name)) errors.push(invalid(`${at}.name`, name, 'must be unique'))
    if (volume === undefined) errors.push(notFound(`${at}.name`, name))
    else if (volume.persistentVolumeClaim === undefined && volume.ephemeral === undefined)
      errors.push(
        invalid(
          `${at}.name`,
          name,
          'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode',
        ),
      )
    if (devicePath === '') errors.push(required(`${at}.devicePath`))
    if (paths.has(devicePath)) errors.push(invalid(`${at}.devicePath`, devicePath, 'must be unique'))
    if (devicePath.split('/').includes('..'))
      errors.push(invalid(`${at}.devicePath`, devicePath, "can not contain backsteps ('..')"))
    else paths.add(devicePath)
    if (mounts.some((mount) => mount.name === name))
      errors.push(invalid(`${at}.name`, name, 'must not already exist in volumeMounts'))
    if (mounts.some((mount) => mount.mountPath === devicePath))
      errors.push(invalid(`${at}.devicePath`, devicePath, 'must not already exist as a path in volumeMounts'))
    if (name !== '') names.add(name)
  })
}

const pullPolicies: readonly string[] = ['Always', 'IfNotPresent', 'Never']

export function checkPullPolicy(policy: string | undefined, path: string, errors: FieldError[]): void {
  if (!policy) errors.push(required(path))
  else if (!pullPolicies.includes(policy)) errors.push(notSupported(path, policy, pullPolicies))
}

const resizeResources: readonly string[] = ['cpu', 'memory']
const resizePolicies: readonly string[] = ['NotRequired', 'RestartContainer']

export function checkResizePolicy(
  policies: readonly ContainerResizePolicy[],
  podRestartPolicy: string | undefined,
  { path, errors }: { readonly path: string; readonly errors: FieldError[] },
): void {
  const seen = new Set<string>()
  policies.forEach((policy, i) => {
    const { resourceName = '', restartPolicy = '' } = policy as {
      readonly [field in keyof ContainerResizePolicy]?: string
    }
    if (seen.has(resourceName)) errors.push(duplicate(`${path}[${i}]`, resourceName))
    seen.add(resourceName)
    if (!resourceName) errors.push(required(path))
    else if (!resizeResources.includes(resourceName)) errors.push(notSupported(path, resourceName, resizeResources))
    if (!restartPolicy) errors.push(required(path))
    else if (!resizePolicies.includes(restartPolicy)) errors.push(notSupported(path, restartPolicy, resizePolicies))
    if (podRestartPolicy === 'Never' && restartPolicy !== 'NotRequired')
      errors.push(invalid(path, restartPolicy, "must be 'NotRequired' when `restartPolicy` is 'Never'"))
  })
}
