// The dashboard in a real browser: sync shown, drift shown and healed, rollback; and that a stranger can only read.

import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, createClient, type HttpHandler, httpHandler, readKubeconfig } from '#client'
import { Application, Deployment, Pod, Secret, ValidatingWebhookConfiguration } from '#kinds'
import { type Daemon, startDaemon, stopDaemon } from '../support/daemon-process.ts'

const executablePath = process.env.HOMEOSTAT_TEST_CHROMIUM ?? '/usr/bin/chromium'
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]
const limit = { timeout: 20_000 }

describe.skipIf(!existsSync(executablePath))('the dashboard', () => {
  let folder: string
  let daemon: Daemon
  let browser: Browser
  let page: Page
  let line: HttpHandler
  /** Whoever holds the kubeconfig. */
  let client: Client
  const problems: string[] = []

  const signInLink = (): string => /dashboard +(http\S+)/.exec(daemon.output())?.[1] ?? ''
  const tile = (name: string) => page.locator(`[data-app="${name}"]`)
  const card = (name: string) => page.locator(`[data-card="${name}"]`)
  const cluster = (name: string) => page.locator(`[data-cluster="${name}"]`)
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, { cwd: join(folder, 'demo-repo'), encoding: 'utf8' })

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'homeostat-dashboard-'))
    daemon = await startDaemon({ command: 'demo', dataDir: folder, args: ['--instant'] })
    line = httpHandler(readKubeconfig(readFileSync(join(folder, 'kubeconfig'), 'utf8')))
    client = createClient(line, { user: '', groups: [], userAgent: 'by-hand' })
    browser = await chromium.launch({ executablePath, args: flags })
    page = await browser.newPage()
    page.on('pageerror', (error) => problems.push(error.message))
    page.on('dialog', (dialog) => void dialog.accept())
  })
  afterAll(async () => {
    line.close()
    await browser.close()
    await stopDaemon(daemon)
    rmSync(folder, { recursive: true, force: true })
  })

  it('is read-only for a stranger, and says how to sign in', async () => {
    await page.goto(new URL('/', signInLink()).href)
    await page.getByText('Read-only.').waitFor(limit)
    await page.goto(new URL('/#/applications/shop', signInLink()).href)
    await page.getByRole('button', { name: 'Sync', exact: true }).waitFor(limit)
    expect(await page.getByRole('button', { name: 'Sync', exact: true }).isDisabled()).toBe(true)
    const refused = await page.request.post(new URL('/api/v1/applications/shop/sync', signInLink()).href, { data: {} })
    expect(refused.status()).toBe(401)
  })

  it('signs in once with the link', async () => {
    const link = signInLink()
    await page.goto(link)
    await page.getByRole('button', { name: 'Sign out' }).waitFor(limit)
    const other = await browser.newPage()
    await other.goto(link)
    await other.getByText('Read-only.').waitFor(limit)
    await other.close()
  })

  it('tells clusters and whether they answer, without their credentials', async () => {
    await client.create(Secret, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: 'argocd', name: 'far', labels: { 'argocd.argoproj.io/secret-type': 'cluster' } },
      stringData: { name: 'far', server: 'https://far.example.com', config: '{"bearerToken":"not-for-pages"}' },
    })
    await page.goto(new URL('/#/clusters', signInLink()).href)
    await cluster('in-cluster').getByText('Successful').waitFor(limit)
    await cluster('far').getByText('Cluster has no applications and is not being monitored.').waitFor(limit)
    expect(await page.content()).not.toContain('not-for-pages')
    await client.delete(Secret, { namespace: 'argocd', name: 'far' })
  })

  it('shows every application Synced and Healthy', async () => {
    await page.goto(new URL('/#/applications', signInLink()).href)
    for (const name of ['demo-repo', 'guestbook', 'shop']) {
      await tile(name).getByText('Synced').waitFor(limit)
      await tile(name).getByText('Healthy').waitFor(limit)
    }
    await page.getByLabel('Search').fill('guest')
    await expect.poll(() => page.locator('[data-app]').count()).toBe(1)
    await page.getByLabel('Search').fill('')
  })

  it('draws the tree down to pods and endpoint slices', async () => {
    await page.goto(new URL('/#/applications/shop', signInLink()).href)
    await page.locator('[data-kind="Deployment"][data-name="frontend"]').waitFor(limit)
    await expect.poll(() => page.locator('[data-kind="Pod"][data-name^="frontend-"]').count(), limit).toBe(3)
    await page.locator('[data-kind="EndpointSlice"][data-name^="frontend-"]').first().waitFor(limit)
  })

  it('explains a resource and shows its manifests, events and logs', async () => {
    await page.locator('[data-kind="Pod"][data-name^="frontend-"]').first().click()
    await page.getByText('is Ready').waitFor(limit)
    await page.locator('[data-placement="scores"]').getByText('NodeResourcesFit').waitFor(limit)
    await page.getByRole('tab', { name: 'Live manifest' }).click()
    await page.getByText('nodeName:').waitFor(limit)
    await page.getByRole('tab', { name: 'Events' }).last().click()
    await page.getByText('Successfully assigned').waitFor(limit)
    await page.getByRole('tab', { name: 'Logs' }).click()
    await expect.poll(() => page.locator('[data-logs]').textContent(), limit).not.toMatch(/^(Connecting|No lines)/)
    await page.keyboard.press('Escape')
  })

  it('does what can be done with a resource', async () => {
    await page.goto(
      new URL('/#/applications/shop?tab=tree&resource=apps%7CDeployment%7Cshop%7Cfrontend', signInLink()).href,
    )
    const button = (name: string) => page.locator('.drawer').getByRole('button', { name, exact: true })
    await button('Restart').waitFor(limit)
    expect([await button('Pause').isDisabled(), await button('Resume').isDisabled()]).toEqual([false, true])
    const before = await page.locator('[data-kind="ReplicaSet"][data-name^="frontend-"]').count()
    await button('Restart').click()
    await expect
      .poll(() => page.locator('[data-kind="ReplicaSet"][data-name^="frontend-"]').count(), limit)
      .toBe(before + 1)
    await button('Pause').click()
    await expect.poll(() => button('Resume').isDisabled(), limit).toBe(false)
    await button('Resume').click()
    await expect.poll(() => button('Resume').isDisabled(), limit).toBe(true)
    await button('Scale').click()
    expect(await page.getByLabel('replicas').inputValue()).toBe('3')
    await page.getByLabel('replicas').fill('none')
    await button('Run Scale').click()
    await page.locator('.drawer').getByText('replicas must be a whole number').waitFor(limit)
    await page.keyboard.press('Escape')
  })

  it('masks what is secret', async () => {
    await page.goto(
      new URL('/#/applications/shop?tab=tree&resource=%7CSecret%7Cshop%7Cshop-database&show=live', signInLink()).href,
    )
    await page.locator('.drawer').getByText('POSTGRES_PASSWORD').waitFor(limit)
    const text = await page.locator('.drawer').textContent()
    expect(text).toMatch(/POSTGRES_PASSWORD: "?\++/)
    expect(text).not.toContain(Buffer.from('change-me').toString('base64'))
    expect(text).not.toContain('change-me')
  })

  it('says what the whole cluster waits for, and with which loop', async () => {
    const containers = [{ name: 'main', image: 'nginx', resources: { requests: { cpu: '1000' } } }]
    const metadata = { name: 'giant', namespace: 'default' }
    await client.create(Pod, { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers } })
    await page.goto(new URL('/#/waiting', signInLink()).href)
    const giant = page.locator('[data-object="Pod giant"]')
    await giant.getByText('Insufficient cpu').first().waitFor(limit)
    expect(await giant.textContent()).toMatch(/stuck.*Waits for: scheduler/)
    await client.delete(Pod, metadata)
    await page.getByText('Nothing waits.').waitFor(limit)
  })

  it('says which loop a webhook stops, on a narrow screen too', async () => {
    const metadata = { name: 'guard' }
    await client.create(ValidatingWebhookConfiguration, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata,
      webhooks: [
        {
          name: 'pods.guard.example.com',
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
          clientConfig: { service: { namespace: 'guestbook', name: 'guard' } },
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'guestbook' } },
          rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['CREATE'] }],
        },
      ],
    })
    await client.deleteCollection(Pod, { namespace: 'guestbook' })
    await page.goto(new URL('/#/applications', signInLink()).href)
    await tile('guestbook').getByText('stuck').waitFor(limit)
    expect(await tile('guestbook').locator('[data-cause]').textContent()).toMatch(
      /^replicaset controller waits for whoever runs guestbook\/guard.*it wants more pods.*does not answer/,
    )
    const narrow = await browser.newPage({ viewport: { width: 390, height: 800 } })
    await narrow.goto(new URL('/#/loops', signInLink()).href)
    const failure = narrow.locator('[data-loop="replicaset"]').getByText('failed calling webhook').first()
    await failure.waitFor(limit)
    const box = await failure.boundingBox()
    expect((box?.x ?? 0) + (box?.width ?? 1000)).toBeLessThanOrEqual(390)
    await narrow.close()
    await client.delete(ValidatingWebhookConfiguration, metadata)
    await tile('guestbook').getByText('Healthy').waitFor({ timeout: 60_000 })
  }, 90_000)

  it('shows drift with its field and who caused it, and that it was healed', async () => {
    await page.goto(new URL('/#/applications/shop?tab=drift', signInLink()).href)
    await client.patch(
      Deployment,
      { namespace: 'shop', name: 'frontend' },
      { spec: { replicas: 9 } },
      { type: 'application/merge-patch+json', fieldManager: 'by-hand' },
    )
    const row = page.locator('[data-drift] tr', { hasText: 'spec.replicas' }).first()
    await row.waitFor(limit)
    expect(await row.textContent()).toMatch(/9 instead of 3/)
    expect(await row.textContent()).toContain('by-hand')
    await expect.poll(() => row.textContent(), limit).not.toContain('not yet')
    await card('sync').getByText('Synced', { exact: true }).waitFor(limit)
    expect((await client.get(Deployment, { namespace: 'shop', name: 'frontend' })).spec.replicas).toBe(3)
  })

  it('ends a sync that waits, and approves a deletion that asks', async () => {
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const waits = { name: 'waits', namespace: 'argocd' }
    await client.create(Application, {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      metadata: waits,
      spec: {
        project: 'default',
        source: { repoURL: join(folder, 'demo-repo'), path: 'guestbook' },
        destination: { server: 'https://kubernetes.default.svc', namespace: 'waits' },
        syncPolicy: { syncOptions: ['DependsOn=nobody'] },
      },
    })
    await page.goto(new URL('/#/applications/waits', signInLink()).href)
    await button('Sync').click()
    await card('operation').getByText('waiting for application nobody').waitFor(limit)
    await button('Stop sync').click()
    await card('operation').getByText('Failed').waitFor(limit)
    await button('Sync').waitFor(limit)
    await client.delete(Application, waits)

    const file = join(folder, 'demo-repo/guestbook/followers.yaml')
    const text = readFileSync(file, 'utf8')
    const asking = { metadata: { annotations: { 'argocd.argoproj.io/sync-options': 'Prune=confirm' } } }
    const followers = { namespace: 'guestbook', name: 'followers' }
    await client.patch(Deployment, followers, asking, { type: 'application/merge-patch+json', fieldManager: 'by-hand' })
    git('rm', '-q', 'guestbook/followers.yaml')
    git('commit', '-qm', 'Drop the followers')
    await page.goto(new URL('/#/applications/guestbook', signInLink()).href)
    await card('operation').getByText('waiting for pruning confirmation').waitFor(limit)
    expect((await client.get(Deployment, followers)).metadata.name).toBe('followers')
    await button('Approve deletion').click()
    await page.locator('[data-kind="Deployment"][data-name="followers"]').waitFor({ state: 'detached', ...limit })
    await card('sync').getByText('Synced', { exact: true }).waitFor(limit)
    writeFileSync(file, text)
    git('add', '-A')
    git('commit', '-qm', 'Take the followers back')
  })

  it('fits a narrow screen, whatever is looked at', async () => {
    const narrow = await browser.newPage({ viewport: { width: 390, height: 800 } })
    const views = ['applications', 'waiting', 'drift', 'loops', 'clusters']
    const tabs = ['tree', 'resources', 'diff', 'drift', 'history', 'events'].map(
      (tab) => `applications/shop?tab=${tab}`,
    )
    for (const view of [...views, ...tabs]) {
      await narrow.goto(new URL(`/#/${view}`, signInLink()).href)
      await narrow.locator('main h1').waitFor(limit)
      const size = await narrow.evaluate<{ readonly wide: number; readonly header: number }>(
        `({ wide: document.documentElement.scrollWidth, header: document.querySelector('nav').offsetHeight })`,
      )
      expect(size.wide, view).toBeLessThanOrEqual(390)
      expect(size.header, view).toBeLessThan(200)
    }
    await narrow.close()
  })

  it('takes the keyboard into the drawer, and back', async () => {
    await page.goto(new URL('/#/applications/shop?tab=tree', signInLink()).href)
    const node = page.locator('[data-kind="Deployment"][data-name="cart"]')
    await node.waitFor(limit)
    await node.focus()
    await page.keyboard.press('Enter')
    await page.locator('.drawer:focus').waitFor(limit)
    await page.keyboard.press('Escape')
    await page.locator('[data-kind="Deployment"][data-name="cart"]:focus').waitFor(limit)
    await page.goto(new URL('/#/applications/shop?resource=nonsense', signInLink()).href)
    await page.locator('.tree').waitFor(limit)
    expect(await page.locator('.drawer').count()).toBe(0)
  })

  it('rolls back, and says that automated sync is off', async () => {
    const file = join(folder, 'demo-repo/guestbook/guestbook-ui.yaml')
    writeFileSync(file, readFileSync(file, 'utf8').replace('gb-frontend:v5', 'gb-frontend:v6'))
    git('commit', '-qam', 'Try version 6')
    const newest = git('rev-parse', '--short=7', 'HEAD').trim()
    await page.goto(new URL('/#/applications/guestbook?tab=history', signInLink()).href)
    await page.locator('[data-history] tbody tr').first().getByText(newest).waitFor(limit)
    await page.getByRole('button', { name: 'Roll back' }).first().click()
    await page.locator('[data-policy]').getByText('Manual').waitFor(limit)
    await card('sync').getByText('OutOfSync').waitFor(limit)
  })

  it('shows every loop with its queue', async () => {
    await page.goto(new URL('/#/loops', signInLink()).href)
    for (const loop of ['deployment', 'replicaset', 'scheduler'])
      await page.locator(`[data-loop="${loop}"]`).waitFor(limit)
  })

  it('made no errors on the page', () => expect(problems).toEqual([]))
})
