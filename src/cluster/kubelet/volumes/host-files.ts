// What lies on the disk of a simulated node, as far as hostPath and local volumes look: what every node has, what
// NodeProfiles add, and what was made for pods that asked for it.

import type { HostFileType, HostPathVolumeSource } from '#kinds'
import { plainPath } from '../ground/plain-path.ts'

const everywhere: Readonly<Record<Exclude<HostFileType, 'Absent'>, readonly string[]>> = {
  Directory: [
    '/ /bin /boot /dev /dev/shm /dev/disk /etc /home /lib /lib/modules /lib64 /media /mnt /opt /opt/cni /opt/cni/bin /proc /root',
    '/run /run/containerd /run/lock /run/systemd /run/udev /sbin /srv /sys /sys/fs /sys/fs/bpf /sys/fs/cgroup /tmp /usr /usr/bin /usr/lib',
    '/usr/libexec /usr/local /usr/local/bin /usr/local/share /usr/local/share/ca-certificates /usr/sbin /usr/share',
    '/usr/share/ca-certificates /usr/src /var /var/cache /var/lib /var/lib/cni /var/lib/containerd /var/lib/kubelet',
    '/var/lib/kubelet/device-plugins /var/lib/kubelet/pki /var/lib/kubelet/plugins /var/lib/kubelet/plugins_registry',
    '/var/lib/kubelet/pod-resources /var/lib/kubelet/pods /var/log /var/log/containers /var/log/journal /var/log/pods /var/tmp',
    '/etc/ca-certificates /etc/cni /etc/cni/net.d /etc/containerd /etc/kubernetes /etc/kubernetes/manifests',
    '/etc/kubernetes/pki /etc/ssl /etc/ssl/certs /etc/systemd',
  ],
  File: [
    '/etc/hostname /etc/hosts /etc/localtime /etc/machine-id /etc/os-release /etc/passwd /etc/group /etc/resolv.conf',
    '/etc/containerd/config.toml /etc/kubernetes/kubelet.conf /run/xtables.lock /var/lib/kubelet/config.yaml',
  ],
  Socket: ['/run/containerd/containerd.sock /run/dbus/system_bus_socket /var/lib/kubelet/pod-resources/kubelet.sock'],
  CharDevice: ['/dev/null /dev/zero /dev/random /dev/urandom /dev/tty /dev/kmsg /dev/fuse /dev/net/tun'],
  BlockDevice: ['/dev/sda /dev/sda1'],
}

const usual = new Map<string, HostFileType>(
  Object.entries(everywhere).flatMap(([type, lines]) =>
    lines.flatMap((line) => line.split(' ').map((path) => [path, type as HostFileType] as const)),
  ),
)

/** `/var/run` is `/run`. */
const resolved = (path: string): string => plainPath(path).replace(/^\/var\/run(?=\/|$)/, '/run')

const words: Readonly<Record<string, string>> = {
  Directory: 'a directory',
  File: 'a file',
  Socket: 'a socket file',
  CharDevice: 'a character device',
  BlockDevice: 'a block device',
}

const madeAs: Readonly<Record<string, HostFileType>> = {
  DirectoryOrCreate: 'Directory',
  FileOrCreate: 'File',
  '': 'Directory',
}

export class HostFiles {
  readonly #ofProfiles: () => ReadonlyMap<string, HostFileType>
  readonly #made = new Map<string, HostFileType>()

  constructor(ofProfiles: () => ReadonlyMap<string, HostFileType>) {
    this.#ofProfiles = ofProfiles
  }

  typeOf(path: string): HostFileType | undefined {
    const at = resolved(path)
    const profiles = this.#ofProfiles()
    const type = profiles.get(at) ?? profiles.get(plainPath(path)) ?? this.#made.get(at) ?? usual.get(at)
    if (type !== undefined) return type === 'Absent' ? undefined : type
    // A folder is there if something in it is.
    const inside = `${at === '/' ? '' : at}/`
    for (const [other, kind] of profiles) if (kind !== 'Absent' && other.startsWith(inside)) return 'Directory'
    for (const other of this.#made.keys()) if (other.startsWith(inside)) return 'Directory'
    return undefined
  }

  /** Why a hostPath volume cannot be set up (pkg/volume/hostpath); undefined when it can. */
  faultOf({ path, type = '' }: HostPathVolumeSource): string | undefined {
    if (type === '') return undefined
    const found = this.typeOf(path)
    const wanted = madeAs[type] ?? type
    if (found === undefined && type in madeAs) {
      const parent = path.replace(/\/[^/]*\/*$/, '') || '/'
      return type === 'FileOrCreate' && this.typeOf(parent) !== 'Directory'
        ? `open ${path}: no such file or directory`
        : undefined
    }
    return found === wanted ? undefined : `hostPath type check failed: ${path} is not ${words[wanted] ?? wanted}`
  }

  /** A container that mounts the volume has what it names made. */
  make({ path, type = '' }: HostPathVolumeSource): void {
    const made = madeAs[type]
    if (made !== undefined && this.typeOf(path) === undefined) this.#made.set(resolved(path), made)
  }
}
