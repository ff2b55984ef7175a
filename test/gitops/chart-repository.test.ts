// Charts of a Helm repository: a server on loopback that holds an index and packed charts, as helm itself makes them.

import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSources, type Repository, SourceError } from '#gitops/source'
import { createTools } from '#gitops/tools'
import { systemWorld } from '#world'

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
    const open = (): Repository => {
      const tools = createTools({
        world,
        directory: folder,
        environment: {},
        offline: true,
        paths: { helm: helm ?? '' },
      })
      return createSources({ world, directory: join(folder, 'data'), tools }).repository(url, 'web')
    }
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

    test('what is not there is told', async () => {
      await expect(open().snapshot('9.9.9')).rejects.toThrow(/chart web 9\.9\.9: .*not found/)
      await expect(open().snapshot('')).rejects.toThrow(SourceError)
      await expect(open().snapshot('--help')).rejects.toThrow(SourceError)
    })
  },
)
