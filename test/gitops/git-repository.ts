// A throw-away git repository for tests, made with the real git.

import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

export interface TestRepository {
  readonly path: string
  git(...args: readonly string[]): string
  write(files: Readonly<Record<string, string | Uint8Array>>): void
  /** Writes files, commits everything and answers the commit's id. */
  commit(files?: Readonly<Record<string, string | Uint8Array>>, message?: string): string
  remove(): void
}

export function temporaryDirectory(name: string): string {
  return mkdtempSync(join(tmpdir(), `homeostat-${name}-`))
}

const identity = {
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
  GIT_AUTHOR_DATE: '2026-01-01T00:00:00Z',
  GIT_COMMITTER_DATE: '2026-01-01T00:00:00Z',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
}

export function createRepository(path = temporaryDirectory('repo')): TestRepository {
  const git = (...args: readonly string[]): string =>
    execFileSync('git', [...args], { cwd: path, env: { ...process.env, ...identity }, encoding: 'utf8' }).trim()
  const write = (files: Readonly<Record<string, string | Uint8Array>>): void => {
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(path, name)), { recursive: true })
      writeFileSync(join(path, name), content)
    }
  }
  git('init', '-q', '-b', 'main')
  return {
    path,
    git,
    write,
    commit(files = {}, message = 'change') {
      write(files)
      git('add', '-A')
      git('commit', '-q', '--allow-empty', '-m', message)
      return git('rev-parse', 'HEAD')
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  }
}
