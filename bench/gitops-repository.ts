// The repository of the gitops bench: a folder of one 2 KB ConfigMap for each application, made in a temporary folder
// without a git binary; where there is one the repository is packed, as one that was cloned is.

import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as git from 'isomorphic-git'

const fileBytes = 2000
const author = { name: 'Bench', email: 'bench@example.com' }
const folder = 'apps'
const file = 'config.yaml'

export const appName = (i: number): string => `app-${String(i).padStart(5, '0')}`
export const appPath = (i: number): string => `${folder}/${appName(i)}`
export const hasGit = (): boolean => spawnSync('git', ['--version']).status === 0

const manifest = (i: number, version: number): string => `apiVersion: v1
kind: ConfigMap
metadata:
  name: ${appName(i)}
data:
  version: "${version}"
  text: ${`${appName(i)} `
    .repeat(fileBytes)
    .slice(0, fileBytes - 130)
    .trim()}
`

export class BenchRepository {
  readonly path = fs.mkdtempSync(join(tmpdir(), 'homeostat-bench-'))
  readonly #repo = { fs, dir: this.path, gitdir: join(this.path, '.git') }
  readonly #folders: string[] = []
  readonly #count: number
  #commits = 0

  constructor(count: number) {
    this.#count = count
  }

  async create(): Promise<void> {
    await git.init({ ...this.#repo, defaultBranch: 'main' })
    for (let i = 0; i < this.#count; i += 1) this.#folders.push(await this.#writeFolder(i))
    await this.#commit()
    if (hasGit()) spawnSync('git', ['-C', this.path, 'gc', '--quiet'], { stdio: 'inherit' })
  }

  /** Commits another version of one application's file, and answers the commit. */
  async change(i: number): Promise<string> {
    this.#folders[i] = await this.#writeFolder(i)
    return this.#commit()
  }

  remove(): void {
    fs.rmSync(this.path, { recursive: true, force: true })
  }

  async #writeFolder(i: number): Promise<string> {
    const oid = await git.writeBlob({ ...this.#repo, blob: Buffer.from(manifest(i, this.#commits)) })
    return git.writeTree({ ...this.#repo, tree: [{ mode: '100644', path: file, oid, type: 'blob' }] })
  }

  async #commit(): Promise<string> {
    const apps = this.#folders.map((oid, i) => ({ mode: '040000', path: appName(i), oid, type: 'tree' as const }))
    const oid = await git.writeTree({ ...this.#repo, tree: apps })
    const tree = await git.writeTree({ ...this.#repo, tree: [{ mode: '040000', path: folder, oid, type: 'tree' }] })
    this.#commits += 1
    return git.commit({ ...this.#repo, tree, author, message: `Change ${this.#commits}`, ref: 'refs/heads/main' })
  }
}
