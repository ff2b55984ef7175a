// Faults of projected volumes: several sources in one directory, without two files of one path.

import { type FieldError, forbidden, invalid, required } from '../field-error.ts'
import type { ProjectedVolumeSource, VolumeProjection } from '../generated/types.ts'
import { checkDownwardFile } from './downward.ts'
import { checkFileMode, checkKeyToPath, checkNotReserved } from './paths.ts'

interface Target {
  /** Path of the volume and of the source. */
  readonly volume: string
  readonly at: string
  readonly taken: Set<string>
  readonly errors: FieldError[]
}

export function checkProjected(projected: ProjectedVolumeSource, path: string, errors: FieldError[]): void {
  checkFileMode(projected.defaultMode, `${path}.defaultMode`, errors)
  const taken = new Set<string>()
  projected.sources?.forEach((source, i) => {
    const at = `${path}.sources[${i}]`
    const target = { volume: path, at, taken, errors }
    checkKeyed(source, 'secret', target)
    checkKeyed(source, 'configMap', target)
    for (const file of source.downwardAPI?.items ?? []) {
      checkDownwardFile(file, `${at}.downwardAPI`, errors)
      take(file.path, file.path, target)
    }
    if (source.serviceAccountToken !== undefined) checkToken(source.serviceAccountToken, target)
    const count = (['secret', 'configMap', 'downwardAPI', 'serviceAccountToken'] as const).filter(
      (field) => source[field] !== undefined,
    ).length
    if (count > 1) errors.push(forbidden(at, 'may not specify more than 1 volume type per source'))
  })
}

function take(file: string | undefined, shown: string, { volume, taken, errors }: Target): void {
  if (!file) return
  if (taken.has(file)) errors.push(invalid(volume, shown, 'conflicting duplicate paths'))
  else taken.add(file)
}

function checkKeyed(source: VolumeProjection, field: 'secret' | 'configMap', target: Target): void {
  const keyed = source[field]
  if (keyed === undefined) return
  const path = `${target.at}.${field}`
  if (!keyed.name) target.errors.push(required(`${path}.name`))
  keyed.items?.forEach((item, i) => {
    checkKeyToPath(item, `${path}.items[${i}]`, target.errors)
    take(item.path, keyed.name ?? '', target)
  })
}

function checkToken(token: { expirationSeconds?: number; path?: string }, { volume, at, errors }: Target): void {
  const seconds = token.expirationSeconds ?? 0
  const path = `${at}.serviceAccountToken.expirationSeconds`
  if (seconds < 600) errors.push(invalid(path, seconds, 'may not specify a duration less than 10 minutes'))
  if (seconds > 2 ** 32) errors.push(invalid(path, seconds, 'may not specify a duration larger than 2^32 seconds'))
  if (!token.path) errors.push(required(`${volume}.path`))
  else checkNotReserved(token.path, `${volume}.path`, errors)
}
