// What is read of a chart, fetched from its repository as helm would.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { createSources } from '#gitops/source'
import type { Application } from '#kinds'
import { systemWorld } from '#world'
import { readChartDetails } from './chart-details.ts'

const folder = mkdtempSync(join(tmpdir(), 'homeostat-chart-'))
const world = systemWorld()
afterAll(() => {
  world.close()
  rmSync(folder, { recursive: true })
})

const detailsOf = (chart: string | undefined, source: object = { chart: 'web' }) => {
  const pull = async ({ folder: into, version }: { readonly folder: string; readonly version: string }) => {
    mkdirSync(into, { recursive: true })
    if (chart !== undefined) writeFileSync(join(into, 'Chart.yaml'), chart.replace('VERSION', version))
  }
  const directory = mkdtempSync(join(folder, 'sources-'))
  const sources = createSources({ world, directory, tools: { pull } })
  const app = {
    metadata: { name: 'shop' },
    spec: { source: { repoURL: 'https://charts.example.com', targetRevision: '1.0.0', ...source } },
  } as Application
  return readChartDetails(sources, app, '1.0.0')
}

describe('a chart', () => {
  it('says who keeps it, and what it is for', async () => {
    const text = `
apiVersion: v2
name: web
version: VERSION
description: Serves the web
home: https://web.example.com
sources: [https://git.example.com/web]
maintainers: [{ name: Ann, email: ann@example.com }, { name: Bob }]
`
    expect(await detailsOf(text)).toEqual({
      description: 'Serves the web',
      home: 'https://web.example.com',
      version: '1.0.0',
      sources: ['https://git.example.com/web'],
      maintainers: ['Ann <ann@example.com>', 'Bob'],
    })
  })

  it('may say little, or be none', async () => {
    const version = 'name: web\nversion: VERSION\n'
    expect(await detailsOf(version)).toMatchObject({ description: '', sources: [], maintainers: [] })
    await expect(detailsOf('version: VERSION\ndescription: [')).rejects.toThrow(
      /^the chart for 1\.0\.0: Chart\.yaml: Flow sequence/,
    )
    await expect(detailsOf(undefined)).rejects.toThrow(/^the chart for 1\.0\.0: Chart\.yaml: /)
    await expect(detailsOf('name: web\nversion: VERSION', { path: 'web' })).rejects.toThrow(
      'application shop has no source that is a chart',
    )
  })
})
