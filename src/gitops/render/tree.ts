// The files of a snapshot by their paths from its root, looked up as a tool's references need them. What is looked up twice
// is listed once; a path that leaves the root, or that is not there, is undefined.

import { pathSegments, type Snapshot, SourceError, type SourceFile } from '#gitops/source'

export interface TreeFile {
  /** From the root of the snapshot. */
  readonly path: string
  readonly id: string
  readonly executable?: true
  readonly problem?: string
  read(): Promise<Uint8Array>
}

export class Tree {
  readonly #snapshot: Snapshot
  readonly #folders = new Map<string, Promise<ReadonlyMap<string, TreeFile> | undefined>>()
  /** Of the last listing: the commit, or what stands for one. */
  revision = ''

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot
  }

  /** Files that are in a folder itself, by name; undefined when there is no such folder. */
  folder(path: string): Promise<ReadonlyMap<string, TreeFile> | undefined> {
    const known = this.#folders.get(path) ?? this.#list(path)
    this.#folders.set(path, known)
    return known
  }

  async #list(path: string): Promise<ReadonlyMap<string, TreeFile> | undefined> {
    const files = await this.#files(path, false)
    return files === undefined ? undefined : new Map(files.map((file) => [baseName(file.path), file]))
  }

  async file(path: string): Promise<TreeFile | undefined> {
    return (await this.folder(folderName(path)))?.get(baseName(path))
  }

  /** Everything below a folder; undefined when there is no such folder. */
  below(path: string): Promise<readonly TreeFile[] | undefined> {
    return this.#files(path, true)
  }

  async #files(path: string, recurse: boolean): Promise<readonly TreeFile[] | undefined> {
    try {
      const listing = await this.#snapshot.list(path, { recurse })
      this.revision = listing.revision
      return listing.files.map((file) => this.#toFile(path, file))
    } catch (error) {
      if (error instanceof SourceError && error.code === 'PathNotFound') return undefined
      throw error
    }
  }

  #toFile(folder: string, file: SourceFile): TreeFile {
    return {
      path: join(folder, file.path),
      id: file.id,
      ...(file.executable === undefined ? {} : { executable: file.executable }),
      ...(file.problem === undefined ? {} : { problem: file.problem }),
      read: () => this.#snapshot.read(folder, file),
    }
  }
}

/** A reference as written in a file of a folder, as a path from the root; undefined when it leaves the root. */
export function resolveReference(folder: string, reference: string): string | undefined {
  try {
    const from = reference.startsWith('/') ? reference.slice(1) : `${folder}/${reference}`
    return pathSegments(from.replace(/^\/+/, '')).join('/')
  } catch (error) {
    if (error instanceof SourceError) return undefined
    throw error
  }
}

export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
export const folderName = (path: string): string => path.slice(0, Math.max(path.lastIndexOf('/'), 0))
export const join = (folder: string, path: string): string =>
  folder === '' || folder === '.' ? path : `${folder}/${path}`
