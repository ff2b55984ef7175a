// ServiceAccount: every pod runs as an account of its namespace, `default` if it names none, and finds the account's token
// in each container. Pods with the same spec get the same spec back, so that they go on sharing it.
// Reads: ServiceAccount.

import { type Container, type Pod, type PodSpec, ServiceAccount, type Volume } from '#kinds'
import type { AnyObject } from '#objects'
import { type AdmissionPlugin, type AdmissionRequest, type AdmissionState, refuse } from '../plugin.ts'

const mirrorAnnotation = 'kubernetes.io/config.mirror'
const mountPath = '/var/run/secrets/kubernetes.io/serviceaccount'
const volumePrefix = 'kube-api-access-'
const tokenSeconds = 3607
const fileMode = 0o644

/** What became of a spec in the name of one version of an account. */
const specs = new WeakMap<PodSpec, { readonly account: ServiceAccount; readonly result: PodSpec }>()

function mutate(object: AnyObject, request: AdmissionRequest, state: AdmissionState): AnyObject {
  if (request.operation !== 'CREATE' || request.subresource !== '') return object
  const pod = object as unknown as Pod
  if (pod.metadata.annotations?.[mirrorAnnotation] !== undefined) {
    const why = mirrorFault(pod)
    if (why !== undefined) throw refuse(request, why)
    return object
  }
  const spec = pod.spec ?? { containers: [] }
  const name = spec.serviceAccountName || 'default'
  const account = state.get(ServiceAccount, request.namespace, name)
  if (account === undefined) {
    const missing = `serviceaccount ${JSON.stringify(name)} not found`
    throw refuse(request, `error looking up service account ${request.namespace}/${name}: ${missing}`)
  }
  const known = specs.get(spec)
  if (known?.account === account) return { ...object, spec: known.result }
  const result = withAccount(spec, name, account, state)
  specs.set(spec, { account, result })
  return { ...object, spec: result }
}

/** Mirror pods are of the node, and refer to nothing of the API. */
function mirrorFault({ spec }: Pod): string | undefined {
  if ((spec?.serviceAccountName ?? '') !== '') return 'a mirror pod may not reference service accounts'
  const sources = (spec?.volumes ?? []).flatMap((volume) => [volume, ...(volume.projected?.sources ?? [])])
  if (sources.some((source) => 'secret' in source && source.secret !== undefined))
    return 'a mirror pod may not reference secrets'
  if (sources.some((source) => 'configMap' in source && source.configMap !== undefined))
    return 'a mirror pod may not reference configmaps'
  if (sources.some((source) => 'persistentVolumeClaim' in source && source.persistentVolumeClaim !== undefined))
    return 'a mirror pod may not reference persistentvolumeclaims'
  return undefined
}

function withAccount(spec: PodSpec, name: string, account: ServiceAccount, state: AdmissionState): PodSpec {
  const secrets = spec.imagePullSecrets ?? []
  const pullSecrets = secrets.length === 0 ? (account.imagePullSecrets ?? []) : secrets
  const named: PodSpec = {
    ...spec,
    serviceAccountName: name,
    serviceAccount: name,
    ...(pullSecrets.length === 0 ? {} : { imagePullSecrets: pullSecrets }),
  }
  const automount = spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true
  return automount ? withToken(named, state) : named
}

function withToken(spec: PodSpec, state: AdmissionState): PodSpec {
  const present = spec.volumes?.find((volume) => volume.name.startsWith(volumePrefix))
  const volumeName = present?.name ?? `${volumePrefix}${state.world.random.suffix(5)}`
  const containers = mounted(spec.containers ?? undefined, volumeName) ?? spec.containers
  const initContainers = mounted(spec.initContainers, volumeName)
  const needed = containers !== spec.containers || initContainers !== spec.initContainers
  if (!needed) return spec
  return {
    ...spec,
    containers,
    ...(initContainers === undefined ? {} : { initContainers }),
    ...(present === undefined ? { volumes: [...(spec.volumes ?? []), tokenVolume(volumeName)] } : {}),
  }
}

/** The containers with the token mounted; the same list when all of them mount something there already. */
function mounted(containers: readonly Container[] | undefined, volumeName: string): readonly Container[] | undefined {
  if (containers === undefined || containers.every(hasMount)) return containers
  const mount = { name: volumeName, readOnly: true, mountPath }
  return containers.map((container) =>
    hasMount(container) ? container : { ...container, volumeMounts: [...(container.volumeMounts ?? []), mount] },
  )
}

const hasMount = ({ volumeMounts }: Container): boolean =>
  volumeMounts?.some((mount) => mount.mountPath === mountPath) === true

const tokenVolume = (name: string): Volume => ({
  name,
  projected: {
    sources: [
      { serviceAccountToken: { expirationSeconds: tokenSeconds, path: 'token' } },
      { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
      {
        downwardAPI: {
          items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
        },
      },
    ],
    defaultMode: fileMode,
  },
})

export const serviceAccount: AdmissionPlugin = { name: 'ServiceAccount', resources: ['pods'], mutate }
