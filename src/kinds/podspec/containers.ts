// Faults of the three lists of containers of a pod spec.

import { duplicate, type FieldError, forbidden, invalid, notFound, notSupported, required } from '../field-error.ts'
import type { Container, EphemeralContainer, PodSpec, Volume } from '../generated/types.ts'
import { dnsLabel } from '../metadata/formats.ts'
import {
  checkDevices,
  checkEnv,
  checkEnvFrom,
  checkHostPorts,
  checkMounts,
  checkPorts,
  checkPullPolicy,
  checkResizePolicy,
} from './container-parts.ts'
import { checkLifecycle, checkProbe } from './probes.ts'
import { checkContainerResources } from './resources.ts'
import { checkContainerSecurity } from './security.ts'

export interface ContainerScope {
  readonly spec: PodSpec
  readonly volumes: ReadonlyMap<string, Volume>
  readonly claimNames: ReadonlySet<string>
  readonly errors: FieldError[]
}

const messagePolicies: readonly string[] = ['File', 'FallbackToLogsOnError']

function checkParts(container: Container, path: string, scope: ContainerScope): void {
  const { errors, volumes, spec } = scope
  if (!container.name) errors.push(required(`${path}.name`))
  else for (const text of dnsLabel(container.name)) errors.push(invalid(`${path}.name`, container.name, text))
  if (!container.image) errors.push(required(`${path}.image`))
  const policy = container.terminationMessagePolicy
  if (!policy) errors.push(required(`${path}.terminationMessagePolicy`))
  else if (!messagePolicies.includes(policy))
    errors.push(notSupported(`${path}.terminationMessagePolicy`, policy, messagePolicies))
  checkPorts(container.ports ?? [], `${path}.ports`, errors)
  checkEnv(container.env ?? [], `${path}.env`, errors)
  checkEnvFrom(container.envFrom ?? [], `${path}.envFrom`, errors)
  checkMounts({ container, volumes }, `${path}.volumeMounts`, errors)
  checkDevices({ container, volumes }, `${path}.volumeDevices`, errors)
  checkPullPolicy(container.imagePullPolicy, `${path}.imagePullPolicy`, errors)
  checkContainerResources(container.resources, { path: `${path}.resources`, claimNames: scope.claimNames, errors })
  checkResizePolicy(container.resizePolicy ?? [], spec.restartPolicy, { path: `${path}.resizePolicy`, errors })
  checkContainerSecurity(container.securityContext, spec.hostUsers !== false, {
    path: `${path}.securityContext`,
    errors,
  })
}

function checkHandlers(container: Container, path: string, scope: ContainerScope): void {
  const target = { path, gracePeriod: scope.spec.terminationGracePeriodSeconds, errors: scope.errors }
  checkLifecycle(container.lifecycle, target)
  checkProbe(container.livenessProbe, 'livenessProbe', target)
  checkProbe(container.readinessProbe, 'readinessProbe', target)
  checkProbe(container.startupProbe, 'startupProbe', target)
}

export function checkContainers(path: string, scope: ContainerScope): void {
  const { errors } = scope
  const containers = scope.spec.containers ?? []
  if (containers.length === 0) {
    errors.push(required(path))
    return
  }
  const names = new Set<string>()
  containers.forEach((container, i) => {
    const at = `${path}[${i}]`
    checkParts(container, at, scope)
    if (names.has(container.name)) errors.push(duplicate(`${at}.name`, container.name))
    names.add(container.name)
    checkHandlers(container, at, scope)
  })
  checkHostPorts(containers, path, errors)
}

const handlerFields = ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const

export function checkInitContainers(path: string, scope: ContainerScope): void {
  const { errors, spec } = scope
  const names = new Set((spec.containers ?? []).map(({ name }) => name))
  spec.initContainers?.forEach((container, i) => {
    const at = `${path}[${i}]`
    checkParts(container, at, scope)
    const isSidecar = container.restartPolicy === 'Always'
    if (names.has(container.name)) errors.push(duplicate(`${at}.name`, container.name))
    else if (container.name) names.add(container.name)
    checkHostPorts([container], path, errors)
    if (isSidecar) checkHandlers(container, at, scope)
    else
      for (const field of handlerFields)
        if (container[field] !== undefined)
          errors.push(forbidden(`${at}.${field}`, 'may not be set for init containers without restartPolicy=Always'))
  })
}

/** Fields that mean nothing for a container that is only there to look around. */
const refusedOfEphemeral = [
  'ports',
  'resources',
  'resizePolicy',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
] as const

export function checkEphemeralContainers(path: string, scope: ContainerScope): void {
  const { errors, spec } = scope
  const others = new Set([...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ name }) => name))
  const names = new Set(others)
  spec.ephemeralContainers?.forEach((container, i) => {
    const at = `${path}[${i}]`
    checkParts(container, at, scope)
    checkImageSpace(container, at, errors)
    if (names.has(container.name)) errors.push(duplicate(`${at}.name`, container.name))
    names.add(container.name)
    const target = container.targetContainerName
    if (target && !others.has(target)) errors.push(notFound(`${at}.targetContainerName`, target))
    checkRefused(container, at, errors)
  })
}

function checkRefused(container: EphemeralContainer, path: string, errors: FieldError[]): void {
  const text = 'cannot be set for an Ephemeral Container'
  for (const field of refusedOfEphemeral) {
    const value = container[field]
    const isSet = field === 'resources' ? Object.keys(value ?? {}).length > 0 : value !== undefined
    if (isSet) errors.push(forbidden(`${path}.${field}`, text))
  }
  container.volumeMounts?.forEach((mount, i) => {
    for (const field of ['subPath', 'subPathExpr'] as const)
      if (mount[field]) errors.push(forbidden(`${path}.volumeMounts[${i}].${field}`, text))
  })
}

/** Only pods refuse blanks around an image: templates have always let them pass. */
export function checkImageSpace(container: Pick<Container, 'image'>, path: string, errors: FieldError[]): void {
  const { image = '' } = container
  if (image.trim() !== image)
    errors.push(invalid(`${path}.image`, image, 'must not have leading or trailing whitespace'))
}
