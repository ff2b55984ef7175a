// The dashboard of a daemon that has nothing to show yet, and of one that went away and comes back.

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, createClient, httpHandler, readKubeconfig } from '#client'
import { Application } from '#kinds'
import { type Daemon, startDaemon, stopDaemon } from '../support/daemon-process.ts'

const executablePath = process.env.HOMEOSTAT_TEST_CHROMIUM ?? '/usr/bin/chromium'
const limit = { timeout: 20_000 }

const freePort = (): Promise<number> =>
  new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => done(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })

describe.skipIf(!existsSync(executablePath))('a dashboard', () => {
  const folder = mkdtempSync(join(tmpdir(), 'homeostat-alone-'))
  let daemon: Daemon
  let browser: Browser
  let page: Page
  let port: number
  const start = async (): Promise<void> => {
    daemon = await startDaemon({ dataDir: folder, args: ['--nodes', '0', '--port', `${port}`] })
  }
  const asking = async (work: (client: Client) => Promise<unknown>): Promise<void> => {
    const line = httpHandler(readKubeconfig(readFileSync(join(folder, 'kubeconfig'), 'utf8')))
    await work(createClient(line, { user: '', groups: [], userAgent: 'by-hand' }))
    line.close()
  }
  const open = (view: string) => page.goto(`http://127.0.0.1:${port}/#/${view}`)
  const tile = (name: string) => page.locator(`[data-app="${name}"]`)

  beforeAll(async () => {
    port = await freePort()
    await start()
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
    page = await browser.newPage()
  })
  afterAll(async () => {
    await browser.close()
    await stopDaemon(daemon)
    rmSync(folder, { recursive: true, force: true })
  })

  it('without applications says how to begin, and shows the first one', async () => {
    await open('applications')
    await page.getByText('No applications yet. Start the daemon with a repository').waitFor(limit)
    for (const name of ['first', 'second'])
      await asking((client) =>
        client.create(Application, {
          apiVersion: 'argoproj.io/v1alpha1',
          kind: 'Application',
          metadata: { name, namespace: 'argocd' },
          spec: {
            project: 'default',
            source: { repoURL: 'https://git.example.invalid/a/b.git', path: '.' },
            destination: { server: 'https://kubernetes.default.svc', namespace: 'default' },
          },
        }),
      )
    await tile('first').waitFor(limit)
    await tile('second').waitFor(limit)
  })

  it('whose daemon is away keeps what it had, says so, and goes on when it is back', { timeout: 60_000 }, async () => {
    await stopDaemon(daemon)
    await page.getByText('connecting').waitFor(limit)
    expect(await tile('first').count()).toBe(1)
    await open('waiting')
    await page.getByText('The daemon does not answer: is it still running?').waitFor(limit)
    await open('applications')
    await page.getByText('Connecting … Where this lasts, the daemon is not running.').waitFor(limit)
    await start()
    await tile('first').waitFor(limit)
    await page.getByText('live', { exact: true }).waitFor(limit)
  })

  it('forgets what went while nobody told it', { timeout: 60_000 }, async () => {
    await stopDaemon(daemon)
    await page.getByText('connecting').waitFor(limit)
    const other = port
    port = await freePort()
    await start()
    await asking((client) => client.delete(Application, { namespace: 'argocd', name: 'second' }))
    await stopDaemon(daemon)
    port = other
    expect(await tile('second').count()).toBe(1)
    await start()
    await tile('second').waitFor({ state: 'detached', ...limit })
    expect(await tile('first').count()).toBe(1)
  })
})
