// The tour of README, on the demo repository: break things with kubectl, commit with git, kill the daemon.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Daemon, startDaemon, stopDaemon } from '../support/daemon-process.ts'
import { eventually, hasKubectl, type Kubectl, kubectlFor } from '../support/kubectl.ts'

interface App {
  readonly metadata: { readonly name: string }
  readonly status?: {
    readonly sync?: { readonly status: string; readonly revision?: string }
    readonly health?: { readonly status: string }
    readonly conditions?: readonly { readonly type: string; readonly message: string }[]
  }
}

describe.skipIf(!hasKubectl)('the demo', () => {
  let folder: string
  let repository: string
  let daemon: Daemon
  let kubectl: Kubectl

  const start = async (): Promise<void> => {
    daemon = await startDaemon({ command: 'demo', dataDir: folder, args: ['--instant'] })
    kubectl = kubectlFor(join(folder, 'kubeconfig'))
  }
  const apps = async (): Promise<readonly App[]> => {
    const { stdout, code } = await kubectl('get applications -n argocd -o json')
    return code === 0 ? (JSON.parse(stdout) as { items: App[] }).items : []
  }
  const states = async (): Promise<string> =>
    (await apps())
      .map(({ metadata, status }) => `${metadata.name} ${status?.sync?.status} ${status?.health?.status}`)
      .join('\n')
  const converged = async (): Promise<void> => {
    const wanted = 'demo-repo Synced Healthy\nguestbook Synced Healthy\nshop Synced Healthy'
    await eventually(
      async () => ({ code: 0, stdout: await states(), stderr: '' }),
      ({ stdout }) => stdout === wanted,
    )
  }
  const git = (...args: readonly string[]): string => execFileSync('git', args, { cwd: repository, encoding: 'utf8' })
  const change = (file: string, from: string | RegExp, to: string): void => {
    const path = join(repository, file)
    writeFileSync(path, readFileSync(path, 'utf8').replace(from, to))
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'homeostat-demo-'))
    repository = join(folder, 'demo-repo')
    await start()
    await converged()
  })
  afterAll(async () => {
    await stopDaemon(daemon)
    rmSync(folder, { recursive: true, force: true })
  })

  it('says where to look and what to try', () => {
    expect(daemon.output()).toMatch(/dashboard +http:\/\/127\.0\.0\.1:\d+\//)
    expect(daemon.output()).toContain('export KUBECONFIG=')
    expect(daemon.output()).toContain('kubectl delete pod')
    expect(daemon.output()).toContain('git commit')
  })

  it('is read with kubectl as an Application of Argo CD is', async () => {
    const revision = git('rev-parse', 'HEAD').trim()
    const table = (await kubectl('get applications -n argocd -o wide')).stdout.trim().split('\n')
    expect(table[0]).toMatch(/^NAME +SYNC STATUS +HEALTH STATUS +REVISION +PROJECT$/)
    expect(table.at(-1)).toMatch(new RegExp(`^shop +Synced +Healthy +${revision} +default$`))
    const { stdout } = await kubectl('describe application shop -n argocd')
    for (const part of [
      /Health:\n(?: {4}Last Transition Time:.*\n)? {4}Status: +Healthy\n/,
      new RegExp(`History:\\n(?: {4}.*\\n)* {4}Id: +0\\n(?: {4}.*\\n)* {4}Revision: +${revision}\\n`),
      / {2}Operation State:\n(?: {4}.*\n)* {4}Message: +successfully synced \(all tasks run\)\n/,
      new RegExp(` {2}Sync:\\n(?: {4}.*\\n)* {4}Revision: +${revision}\\n(?: {4}.*\\n)* {4}Status: +Synced\\n`),
      /Events:\n(?:.*\n)*.*OperationCompleted/,
    ])
      expect(stdout).toMatch(part)
  })

  it('replaces a deleted pod', async () => {
    const pods = 'get pods -n shop -l app.kubernetes.io/name=frontend --field-selector status.phase=Running -o name'
    const before = (await kubectl(pods)).stdout.trim().split('\n')
    expect(before).toHaveLength(3)
    await kubectl(`delete -n shop ${before[0]} --wait=true`)
    const after = await eventually(
      () => kubectl(pods),
      ({ stdout }) => stdout.trim().split('\n').length === 3,
    )
    expect(after.stdout).not.toContain(before[0])
    await converged()
  })

  it('undoes a scale by hand, and keeps it in the drift log', async () => {
    expect((await kubectl('scale -n shop deployment/frontend --replicas=9')).code).toBe(0)
    await eventually(
      () => kubectl(`get deployment frontend -n shop -o jsonpath='{.spec.replicas} {.status.replicas}'`),
      ({ stdout }) => stdout === '3 3',
    )
    await converged()
    const events = await kubectl('events -n argocd --for application/shop')
    expect(events.stdout).toMatch(/spec\.replicas/)
  })

  it('brings back a deleted Deployment', async () => {
    expect((await kubectl('delete deployment -n shop cart')).code).toBe(0)
    await eventually(
      () => kubectl(`get deployment cart -n shop -o jsonpath='{.status.availableReplicas}'`),
      ({ stdout }) => stdout === '2',
    )
    await converged()
  })

  it('rolls out a commit without any application being Degraded', async () => {
    change('shop/frontend.yaml', 'shop-frontend:1.8.0', 'shop-frontend:1.9.0')
    git('commit', '-qam', 'Roll out 1.9.0')
    const revision = git('rev-parse', 'HEAD').trim()
    const seen: string[] = []
    await eventually(
      async () => {
        const now = await apps()
        seen.push(...now.map(({ status }) => status?.health?.status ?? ''))
        const image = await kubectl(
          `get pods -n shop -l app.kubernetes.io/name=frontend -o jsonpath='{.items[*].spec.containers[0].image}'`,
        )
        const shop = now.find(({ metadata }) => metadata.name === 'shop')
        return { code: 0, stdout: `${image.stdout} at ${shop?.status?.sync?.revision}`, stderr: '' }
      },
      ({ stdout }) => stdout === `${Array(3).fill('ghcr.io/example/shop-frontend:1.9.0').join(' ')} at ${revision}`,
    )
    expect(seen).not.toContain('Degraded')
    await converged()
  })

  it('prunes what is no longer in git', async () => {
    git('rm', '-q', 'guestbook/followers.yaml')
    git('commit', '-qm', 'Drop the followers')
    await eventually(
      () => kubectl('get deployments,services -n guestbook -o name'),
      ({ stdout }) => stdout.includes('leader') && !stdout.includes('followers'),
    )
    await converged()
  })

  it('shows file and line of a broken commit, and keeps everything running', async () => {
    change('shop/catalog.yaml', 'replicas: 2', 'replicas: [2')
    git('commit', '-qam', 'Break the catalogue')
    await eventually(
      async () => ({ code: 0, stdout: JSON.stringify(await apps()), stderr: '' }),
      ({ stdout }) => /shop\/catalog\.yaml:\d+[^}]*ComparisonError/.test(stdout),
    )
    const { stdout } = await kubectl('describe application shop -n argocd')
    expect(stdout).toMatch(/ {2}Conditions:\n(?: {4}.*\n)* {4}Message: +.*shop\/catalog\.yaml:\d+/)
    expect((await kubectl(`get deployment catalog -n shop -o jsonpath='{.status.availableReplicas}'`)).stdout).toBe('2')
    expect((await apps()).find(({ metadata }) => metadata.name === 'guestbook')?.status?.sync?.status).toBe('Synced')
    git('revert', '--no-edit', 'HEAD')
    await converged()
  })

  it('goes on where it was after SIGKILL', async () => {
    const before = await kubectl('get deployments,pods -A -o name')
    const uid = (await kubectl(`get deployment frontend -n shop -o jsonpath='{.metadata.uid}'`)).stdout
    await stopDaemon(daemon, 'SIGKILL')
    await start()
    await converged()
    expect((await kubectl(`get deployment frontend -n shop -o jsonpath='{.metadata.uid}'`)).stdout).toBe(uid)
    expect((await kubectl('get deployments,pods -A -o name')).stdout).toBe(before.stdout)
  })

  it('stops cleanly when asked to', async () => {
    expect(await stopDaemon(daemon, 'SIGINT')).toBe(0)
    expect(daemon.output()).toContain('stopped')
    expect(daemon.output()).not.toMatch(/\n +at /)
  })
})
