// The repository of a scenario: a real git repository in a temporary folder, which stands for its remote. Commits carry
// world time, so that their ids are the same in every run.

import * as fs from 'node:fs'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import git from 'isomorphic-git'
import type { Clock } from '#world'

/** Applications of scenarios name this as their repository. */
export const repositoryUrl = 'https://git.example.com/lab/config.git'
const who = { name: 'Ada', email: 'ada@example.com', timezoneOffset: 0 }

export class LabRepository {
  readonly path: string
  readonly #clock: Clock
  /** The commits that a scenario made. */
  commits = 0

  private constructor(path: string, clock: Clock) {
    this.path = path
    this.#clock = clock
  }

  static async create(clock: Clock): Promise<LabRepository> {
    const repository = new LabRepository(mkdtempSync(join(tmpdir(), 'homeostat-lab-')), clock)
    const dir = repository.path
    await git.init({ fs, dir, defaultBranch: 'main' })
    await git.addRemote({ fs, dir, remote: 'origin', url: repositoryUrl })
    await repository.commit('Begin')
    return repository
  }

  write(file: string, text: string): void {
    const path = join(this.path, file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }

  /** Commits what was written; answers the id. */
  async commit(message: string, written: readonly string[] = []): Promise<string> {
    const dir = this.path
    for (const filepath of written) await git.add({ fs, dir, filepath })
    const author = { ...who, timestamp: Math.floor(this.#clock.now() / 1000) }
    return git.commit({ fs, dir, message, author, committer: author })
  }

  async remove(file: string): Promise<void> {
    await git.remove({ fs, dir: this.path, filepath: file })
    rmSync(join(this.path, file))
  }

  dispose(): void {
    rmSync(this.path, { recursive: true, force: true })
  }
}
