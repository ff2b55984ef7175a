// Charts of a Helm repository: a server on loopback that holds an index and packed charts, as helm itself makes them.

import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSources, type RemoteAccess, type Repository, SourceError } from '#gitops/source'
import { createTools } from '#gitops/tools'
import { systemWorld } from '#world'
import { type TestCertificates, testCertificates } from './certificates.ts'
import { startProxy } from './proxy-server.ts'
import { startRegistry } from './registry-server.ts'

const helm = process.env['HOMEOSTAT_TEST_HELM']
const world = systemWorld()

describe.skipIf(helm === undefined)(
  `charts of a repository (${helm === undefined ? 'skipped: helm is missing' : 'present'})`,
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'homeostat-charts-'))
    const asked: string[] = []
    let server: Server
    let url = ''

    const publish = (version: string): void => {
      const chart = join(folder, 'web')
      mkdirSync(join(chart, 'templates'), { recursive: true })
      writeFileSync(join(chart, 'Chart.yaml'), `apiVersion: v2\nname: web\nversion: ${version}\n`)
      writeFileSync(join(chart, 'templates/a.yaml'), 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n')
      execFileSync(helm ?? '', ['package', chart, '--destination', folder])
      execFileSync(helm ?? '', ['repo', 'index', folder])
    }
    const newTools = () =>
      createTools({ world, directory: folder, environment: {}, offline: true, paths: { helm: helm ?? '' } })
    const open = (): Repository =>
      createSources({ world, directory: join(folder, 'data'), tools: newTools() }).repository(url, 'web')
    const revisionOf = async (repository: Repository, wanted: string): Promise<string> =>
      (await (await repository.snapshot(wanted)).list('.', { recurse: true })).revision

    beforeAll(async () => {
      server = createServer((request, response) => {
        asked.push(request.url ?? '')
        try {
          response.end(readFileSync(join(folder, request.url ?? '')))
        } catch {
          response.writeHead(404).end()
        }
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      publish('1.0.0')
      publish('1.1.0')
    })
    afterAll(() => {
      server.close()
      rmSync(folder, { recursive: true, force: true })
    })

    test('a version is fetched once, also over a restart', async () => {
      expect(await revisionOf(open(), '1.0.0')).toBe('1.0.0')
      asked.length = 0
      const again = open()
      expect(await revisionOf(again, '1.0.0')).toBe('1.0.0')
      const files = (await (await again.snapshot('1.0.0')).list('.', { recurse: true })).files
      expect(files.map(({ path }) => path)).toEqual(['Chart.yaml', 'templates/a.yaml'])
      expect(asked).toEqual([])
    })

    test('a range means the highest version that fits, and moves when a newer one comes', async () => {
      const repository = open()
      expect(await revisionOf(repository, '1.*')).toBe('1.1.0')
      expect(await repository.refresh()).toBe(false)
      publish('1.2.0')
      expect(await repository.refresh()).toBe(true)
      expect(await revisionOf(repository, '1.*')).toBe('1.2.0')
    })

    test('a repository that is away keeps what was read last, and says so', async () => {
      const repository = open()
      expect(await revisionOf(repository, '^1.0.0')).toBe('1.2.0')
      const index = readFileSync(join(folder, 'index.yaml'))
      rmSync(join(folder, 'index.yaml'))
      expect(await repository.refresh()).toBe(true)
      expect(repository.state.trouble?.message).toMatch(/^http:\/\/127\.0\.0\.1:\d+: chart web \^1\.0\.0: /)
      expect(await revisionOf(repository, '^1.0.0')).toBe('1.2.0')
      writeFileSync(join(folder, 'index.yaml'), index)
      expect(await repository.refresh()).toBe(true)
      expect(repository.state.trouble).toBeUndefined()
    })

    describe('behind TLS', () => {
      let secured: TlsServer
      let certificates: TestCertificates
      const securedUrl = () => `https://127.0.0.1:${(secured.address() as AddressInfo).port}`

      beforeAll(async () => {
        certificates = await testCertificates()
        secured = createTlsServer(certificates.server, ({ headers, url: path = '' }, response) => {
          if (headers.authorization !== `Basic ${Buffer.from('me:sesame').toString('base64')}`)
            return response.writeHead(401).end()
          return response.end(readFileSync(join(folder, path)))
        })
        await new Promise<void>((resolve) => secured.listen(0, '127.0.0.1', resolve))
      })
      afterAll(() => {
        secured.closeAllConnections()
        secured.close()
      })
      const outcome = async (access: RemoteAccess, place = securedUrl(), environment = {}): Promise<string> => {
        const directory = mkdtempSync(join(folder, 'data-'))
        const source = createSources({ world, directory, tools: newTools(), access: () => access, environment })
        try {
          return await revisionOf(source.repository(place, 'web'), '1.0.0')
        } catch (error) {
          return (error as Error).message
        }
      }

      test('its CA must be trusted, and the password be right', async () => {
        const credentials = { username: 'me', password: 'sesame' }
        const tls = { ca: certificates.ca }
        expect(await outcome({ credentials, tls })).toBe('1.0.0')
        expect(await outcome({ credentials, tls: { insecure: true } })).toBe('1.0.0')
        expect(await outcome({ credentials })).toMatch(/certificate/)
        const refused = await outcome({ credentials: { username: 'me', password: 'hunter2' }, tls })
        expect(refused).toMatch(/401/)
        expect(refused).not.toMatch(/hunter2/)
      })

      test('credentials of the environment open it; those of a Secret come first', async () => {
        const tls = { ca: certificates.ca }
        const variables = (url: string, password: string) => ({
          HOMEOSTAT_REPO_CHARTS_URL: url,
          HOMEOSTAT_REPO_CHARTS_USERNAME: 'me',
          HOMEOSTAT_REPO_CHARTS_PASSWORD: password,
        })
        expect(await outcome({ tls }, securedUrl(), variables(securedUrl(), 'sesame'))).toBe('1.0.0')
        expect(await outcome({ tls }, securedUrl(), variables('https://elsewhere.test', 'sesame'))).toMatch(/401/)
        const refused = await outcome({ tls }, securedUrl(), variables(securedUrl(), 'hunter2'))
        expect(refused).toMatch(/401/)
        expect(refused).not.toMatch(/hunter2/)
        const credentials = { username: 'me', password: 'sesame' }
        expect(await outcome({ tls, credentials }, securedUrl(), variables(securedUrl(), 'hunter2'))).toBe('1.0.0')
      })

      test('a registry is reached by the same', async () => {
        const registry = await startRegistry({
          tls: certificates.server,
          login: 'me:sesame',
          name: 'charts/web',
          version: '1.0.0',
          chart: readFileSync(join(folder, 'web-1.0.0.tgz')),
          about: { apiVersion: 'v2', name: 'web', version: '1.0.0' },
        })
        const tls = { ca: certificates.ca }
        const credentials = { username: 'me', password: 'sesame' }
        const outcomeOf = (access: RemoteAccess) => outcome(access, `${registry.host}/charts`)
        expect(await outcomeOf({ tls, credentials })).toBe('1.0.0')
        expect(await outcomeOf({ tls: { insecure: true }, credentials })).toBe('1.0.0')
        expect(await outcomeOf({ credentials })).toMatch(/certificate/)
        expect(await outcomeOf({ tls })).toMatch(/401|[Uu]nauthorized|credential/)
        const variables = {
          HOMEOSTAT_REPO_URL: `oci://${registry.host}`,
          HOMEOSTAT_REPO_USERNAME: 'me',
          HOMEOSTAT_REPO_TOKEN: 'sesame',
        }
        expect(await outcome({ tls }, `${registry.host}/charts`, variables)).toBe('1.0.0')
        await registry.close()
      })

      test('its proxy is asked for it', async () => {
        const proxy = await startProxy({ target: url })
        const directory = mkdtempSync(join(folder, 'data-'))
        const access = () => ({ proxies: { http: proxy.url } })
        const source = createSources({ world, directory, tools: newTools(), access }).repository(
          'http://charts.test',
          'web',
        )
        expect(await revisionOf(source, '1.1.0')).toBe('1.1.0')
        expect(proxy.asked).toEqual(['GET http://charts.test/index.yaml', 'GET http://charts.test/web-1.1.0.tgz'])
        await proxy.close()
      })
    })

    test('what is not there is told', async () => {
      await expect(open().snapshot('9.9.9')).rejects.toThrow(/chart web 9\.9\.9: .*not found/)
      await expect(open().snapshot('')).rejects.toThrow(SourceError)
      await expect(open().snapshot('--help')).rejects.toThrow(SourceError)
    })
  },
)
