// Fetches a packed chart from an HTTP repository or an OCI registry, with helm, and leaves it unpacked in a folder.

import { cp, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ToolFault } from './tool-fault.ts'

export interface ChartRequest {
  /** `https://charts.example.org`, or of a registry `oci://host/path` or `host/path`. */
  readonly repository: string
  readonly chart: string
  /** A version or a range of versions; the highest that fits is taken. */
  readonly version: string
  /** Where the chart is put; what was there is replaced. */
  readonly folder: string
}

/** The words of `helm pull`; the chart is unpacked below the folder `target`. */
export function pullArguments({ repository, chart, version }: ChartRequest, target: string): readonly string[] {
  const isHttp = /^https?:\/\//i.test(repository)
  const place = isHttp ? ['--repo', repository] : []
  const name = isHttp ? chart : `oci://${repository.replace(/^oci:\/\//i, '').replace(/\/+$/, '')}/${chart}`
  // What follows `--` is a name, whatever it begins with.
  return ['pull', ...place, '--version', version, '--untar', '--untardir', target, '--', name]
}

/** Moves the only folder below `from` to `folder`: whoever looks there sees all of a chart, or none. */
export async function takeChart(from: string, folder: string): Promise<void> {
  const [name] = (await readdir(from, { withFileTypes: true })).filter((entry) => entry.isDirectory())
  if (name === undefined) throw new ToolFault('refused', 'what was fetched holds no chart')
  await mkdir(dirname(folder), { recursive: true })
  const part = await mkdtemp(`${folder}.`)
  try {
    await cp(join(from, name.name), join(part, 'chart'), { recursive: true, verbatimSymlinks: true })
    await rm(folder, { recursive: true, force: true })
    await rename(join(part, 'chart'), folder)
  } finally {
    await rm(part, { recursive: true, force: true })
  }
}
