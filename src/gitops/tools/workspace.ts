// A folder of its own for one run of a tool: the files that it may read, an empty home, a folder for its PATH. Nothing of
// the repository is executable there unless whoever asks says so, and the folder is gone afterwards.

import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { ToolFault } from './tool-fault.ts'

export interface WorkspaceFile {
  /** Relative to the workspace's files, with `/`. */
  readonly path: string
  readonly bytes: Uint8Array
  readonly executable?: boolean
}

export interface Workspace {
  /** Where the files are. */
  readonly files: string
  readonly home: string
  /** What the tool finds on its PATH. */
  readonly bin: string
}

/** Makes a workspace, lets `work` use it, and removes it. */
export async function inWorkspace<T>(
  files: readonly WorkspaceFile[],
  work: (workspace: Workspace) => Promise<T>,
): Promise<T> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'homeostat-')))
  try {
    const workspace = { files: join(root, 'files'), home: join(root, 'home'), bin: join(root, 'bin') }
    for (const folder of Object.values(workspace)) await mkdir(folder)
    await writeAll(workspace.files, files)
    return await work(workspace)
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}

async function writeAll(root: string, files: readonly WorkspaceFile[]): Promise<void> {
  const made = new Set<string>()
  for (const { path, bytes, executable = false } of files) {
    // Names come from a repository: none may lead out of the folder.
    if (path.split('/').some((step) => step === '' || step === '.' || step === '..' || /[\\\0]/.test(step)))
      throw new ToolFault('refused', `${JSON.stringify(path)} cannot be the name of a file`)
    const target = join(root, path)
    const folder = dirname(target)
    if (!made.has(folder)) await mkdir(folder, { recursive: true })
    made.add(folder)
    await writeFile(target, bytes, { mode: executable ? 0o755 : 0o644 })
  }
}

/** Puts a shell script on the workspace's PATH. */
export async function addScript({ bin }: Workspace, name: string, text: string): Promise<string> {
  const path = join(bin, name)
  await writeFile(path, text)
  await chmod(path, 0o755)
  return path
}
