// A container as commands in it see it: files, variables, name, user and place, put together when a command is run.

import { posix } from 'node:path'
import type { Container, EphemeralContainer } from '#kinds'
import type { World } from '#world'
import type { ContainerRecord, ContainerSpec } from '../containers/containers.ts'
import { fullNameOf, hostnameOf } from '../containers/host-name.ts'
import { dnsOf, resolvConf } from '../containers/pod-dns.ts'
import { type User, userOf } from '../containers/users.ts'
import type { VariableView } from '../containers/variables.ts'
import { variablesIn } from '../life/pod-variables.ts'
import type { PodRun } from '../pod/pod-run.ts'
import { FileTree, type Layer, type Mount } from './files.ts'
import { contentOf, type FileMap } from './mounted-files.ts'
import type { ShellState, Surroundings } from './process.ts'

/** What commands have written: by container, and by volume. */
export interface PodDisk {
  readonly containers: Map<string, Layer>
  readonly volumes: Map<string, Layer>
}

export interface ContainerSite {
  readonly run: PodRun
  readonly container: ContainerSpec
  readonly record: ContainerRecord
  readonly disk: PodDisk
  readonly world: World
}

const layerOf = (layers: Map<string, Layer>, key: string): Layer => {
  const layer = layers.get(key) ?? new Map<string, Buffer | null>()
  layers.set(key, layer)
  return layer
}

export function surroundingsOf(site: ContainerSite): Surroundings {
  const { run, container, record, disk, world } = site
  const { clock } = world
  return {
    files: new FileTree({
      mounts: mountsOf(site),
      own: ownFiles(site),
      layer: layerOf(disk.containers, record.id),
      readOnlyRoot: container.spec.securityContext?.readOnlyRootFilesystem === true,
    }),
    hostname: kernelName(run),
    image: container.spec.image ?? '',
    user: userIn(site),
    now: () => clock.now(),
    sleep: (ms, signal) => clock.sleep(ms, signal),
  }
}

function mountsOf({ run, container, disk }: ContainerSite): readonly Mount[] {
  const { pod, sandbox, around } = run
  const view: VariableView = {
    pod,
    objects: around.objects,
    podIP: sandbox?.ip ?? '',
    hostIP: around.node.hostIP,
    allocatable: around.node.allocatable,
  }
  const { volumeMounts = [] } = container.spec
  return volumeMounts.flatMap((mount) => {
    const volume = pod.spec.volumes?.find(({ name }) => name === mount.name)
    if (volume === undefined) return []
    return [
      {
        path: posix.resolve('/', mount.mountPath).replace(/(.)\/$/, '$1'),
        subPath: mount.subPath ?? filledIn(mount.subPathExpr ?? '', run, container.spec),
        readOnly: mount.readOnly === true,
        content: contentOf(volume, view),
        layer: layerOf(disk.volumes, mount.name),
      },
    ]
  })
}

const filledIn = (expression: string, run: PodRun, spec: Container | EphemeralContainer): string =>
  expression === ''
    ? ''
    : expression.replace(/\$\(([^)]*)\)/g, (_whole, name: string) => variablesIn(run, spec).get(name) ?? '')

/** The full name, where the pod asked to be called by it. */
const kernelName = ({ pod, around }: PodRun): string =>
  (pod.spec.setHostnameAsFQDN === true ? fullNameOf(pod, around.node.name) : undefined) ??
  hostnameOf(pod, around.node.name)

/** What the kubelet and the runtime put into each container, and what the profile says is in the image. */
function ownFiles(site: ContainerSite): FileMap {
  const { run, container } = site
  const { pod, around } = run
  const ip = run.sandbox?.ip ?? ''
  const name = hostnameOf(pod, around.node.name)
  const full = fullNameOf(pod, around.node.name)
  const names = full === undefined ? name : `${full}\t${name}`
  const texts: Readonly<Record<string, string>> = {
    'etc/hostname': `${kernelName(run)}\n`,
    'etc/hosts': `# Kubernetes-managed hosts file.\n127.0.0.1\tlocalhost\n${ip}\t${names}\n`,
    'etc/resolv.conf': resolvConf(dnsOf(pod).dns),
  }
  const files = new Map<string, Buffer>()
  for (const [path, text] of Object.entries(texts)) files.set(path, Buffer.from(text, 'utf8'))
  const { files: own = {} } = run.around.workloads.container(run.pod, container.spec.name)
  for (const [path, text] of Object.entries(own)) files.set(path.replace(/^\/+/, ''), Buffer.from(text, 'utf8'))
  return files
}

const apiAddress = '10.96.0.1'

const userIn = ({ run, container: { spec } }: ContainerSite): User =>
  userOf(spec, run.pod, run.around.workloads.image(spec.image ?? ''))

export function stateOf(site: ContainerSite): ShellState {
  const { run, container } = site
  const env = new Map<string, string>([
    ['PATH', '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'],
    ['HOSTNAME', kernelName(run)],
    ...variablesIn(run, container.spec),
    ['KUBERNETES_SERVICE_HOST', apiAddress],
    ['KUBERNETES_SERVICE_PORT', '443'],
    ['KUBERNETES_SERVICE_PORT_HTTPS', '443'],
    ['KUBERNETES_PORT', `tcp://${apiAddress}:443`],
    ['KUBERNETES_PORT_443_TCP', `tcp://${apiAddress}:443`],
    ['KUBERNETES_PORT_443_TCP_PROTO', 'tcp'],
    ['KUBERNETES_PORT_443_TCP_PORT', '443'],
    ['KUBERNETES_PORT_443_TCP_ADDR', apiAddress],
  ])
  if (!env.has('HOME')) env.set('HOME', userIn(site).uid === 0 ? '/root' : '/')
  return { cwd: posix.resolve('/', container.spec.workingDir ?? '/'), env, lastCode: 0 }
}
