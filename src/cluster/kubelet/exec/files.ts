// The files that a command in a container sees: those of its mounts and its profile, a few that every container has, and
// what commands have written. Written files live as long as the container; those in volumes as long as the pod on its node.

import { posix } from 'node:path'
import type { FileMap, VolumeContent } from './mounted-files.ts'

/** What was written in one place, by path; null: removed. A path with a slash at its end is a folder. */
export type Layer = Map<string, Buffer | null>

export interface Mount {
  readonly path: string
  /** Inside of the volume; a file or a folder. */
  readonly subPath: string
  readonly readOnly: boolean
  readonly content: VolumeContent | undefined
  /** What was written to the volume. */
  readonly layer: Layer
}

export interface FileTreeOptions {
  readonly mounts: readonly Mount[]
  /** Files of the image, by absolute path. */
  readonly own: FileMap
  readonly layer: Layer
  readonly readOnlyRoot: boolean
}

/** All that commands may write to one place. */
const mostBytes = 16 * 1024 * 1024
const mostFiles = 2000

const usualFolders = [
  'bin',
  'dev',
  'etc',
  'home',
  'lib',
  'mnt',
  'opt',
  'proc',
  'root',
  'run',
  'sbin',
  'srv',
  'sys',
  'tmp',
  'usr',
  'var',
]

interface Place {
  readonly layer: Layer
  readonly base: FileMap
  /** Path inside of the place, without a slash at its begin. */
  readonly inner: string
  readonly readOnly: boolean
}

export class FileTree {
  readonly #options: FileTreeOptions
  readonly #mounts: readonly Mount[]

  constructor(options: FileTreeOptions) {
    this.#options = options
    this.#mounts = options.mounts.toSorted((a, b) => b.path.length - a.path.length)
  }

  read(path: string): Buffer | undefined {
    const { layer, base, inner } = this.#placeOf(path)
    const written = layer.get(inner)
    return written === undefined ? base.get(inner) : (written ?? undefined)
  }

  isFolder(path: string): boolean {
    return path === '/' || (this.read(path) === undefined && this.#entries(path) !== undefined)
  }

  exists(path: string): boolean {
    return this.read(path) !== undefined || this.isFolder(path)
  }

  /** Names in a folder, sorted; undefined when it is none. */
  list(path: string): readonly string[] | undefined {
    const names = this.#entries(path)
    return names === undefined ? undefined : [...names].sort()
  }

  /** Why it cannot be written, as the system says it; undefined when it was. */
  write(path: string, bytes: Buffer): string | undefined {
    if (this.isFolder(path)) return 'Is a directory'
    if (!this.isFolder(posix.dirname(path)))
      return this.exists(posix.dirname(path)) ? 'Not a directory' : 'No such file or directory'
    return this.#put(path, '', bytes)
  }

  makeFolder(path: string): string | undefined {
    if (this.exists(path)) return 'File exists'
    if (!this.isFolder(posix.dirname(path))) return 'No such file or directory'
    return this.#put(path, '/', Buffer.alloc(0))
  }

  remove(path: string): string | undefined {
    const place = this.#placeOf(path)
    if (place.readOnly) return 'Read-only file system'
    if (this.#mounts.some((mount) => mount.path === path || mount.path.startsWith(`${path}/`))) return 'Resource busy'
    for (const known of [...place.base.keys(), ...place.layer.keys()])
      if (known === place.inner || known.startsWith(`${place.inner}/`)) {
        if (place.base.has(known)) place.layer.set(known, null)
        else place.layer.delete(known)
      }
    return undefined
  }

  #put(path: string, end: string, bytes: Buffer): string | undefined {
    const { layer, inner, readOnly } = this.#placeOf(path)
    if (readOnly) return 'Read-only file system'
    let held = bytes.length
    for (const [known, one] of layer) if (known !== inner) held += one?.length ?? 0
    if (held > mostBytes || (layer.size >= mostFiles && !layer.has(inner + end))) return 'No space left on device'
    layer.set(inner + end, bytes)
    return undefined
  }

  #placeOf(path: string): Place {
    const mount = this.#mounts.find((one) => path === one.path || path.startsWith(`${one.path}/`))
    if (mount === undefined) {
      const { layer, own, readOnlyRoot } = this.#options
      return { layer, base: own, inner: path.slice(1), readOnly: readOnlyRoot }
    }
    const inner = posix
      .join(mount.subPath, path.slice(mount.path.length))
      .replace(/^\.?\//, '')
      .replace(/\/$/, '')
    return {
      layer: mount.layer,
      base: mount.content?.files ?? none,
      inner: inner === '.' ? '' : inner,
      readOnly: mount.readOnly || mount.content?.readOnly === true,
    }
  }

  #entries(path: string): ReadonlySet<string> | undefined {
    const { layer, base, inner } = this.#placeOf(path)
    const prefix = inner === '' ? '' : `${inner}/`
    const names = new Set<string>()
    let found = path === '/' || this.#mounts.some((mount) => mount.path === path && !base.has(inner))
    const look = (known: string): void => {
      if (!known.startsWith(prefix) && known !== inner) return
      if (known === inner) return
      found = true
      const [name = ''] = known.slice(prefix.length).split('/')
      if (name !== '') names.add(name)
    }
    for (const known of base.keys()) if (layer.get(known) !== null) look(known)
    for (const [known, bytes] of layer) if (bytes !== null) look(known)
    const below = path === '/' ? '/' : `${path}/`
    for (const mount of this.#mounts) if (mount.path.startsWith(below)) addFirst(mount.path.slice(below.length))
    for (const folder of usualFolders) {
      if (path === '/') names.add(folder)
      if (path === `/${folder}`) found = true
    }
    return found ? names : undefined

    function addFirst(rest: string): void {
      found = true
      const [name = ''] = rest.split('/')
      names.add(name)
    }
  }
}

const none: FileMap = new Map()
