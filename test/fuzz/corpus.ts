// What was once asked of a real API server: the bodies that fuzzing begins with, since what is nearly right goes deepest.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Json } from '#objects'

export interface Recorded {
  readonly method: string
  readonly path: string
  readonly contentType: string
  readonly body: Json
}

interface Step {
  readonly method: string
  readonly path: string
  readonly contentType?: string
  readonly body?: Json
}

const folder = join(import.meta.dirname, '../golden/cassettes')

/** The namespace that recordings are played in. */
export const namespace = 'fuzz'

export function recordedRequests(): readonly Recorded[] {
  const files = readdirSync(folder).flatMap((area) =>
    readdirSync(join(folder, area)).map((file) => join(folder, area, file)),
  )
  return files.sort().flatMap((file) => {
    const text = readFileSync(file, 'utf8').replace(/\$\{ns\}/g, namespace)
    const { steps } = JSON.parse(text) as { readonly steps: readonly Step[] }
    return steps.flatMap(({ method, path, contentType = 'application/json', body }) =>
      body === undefined || path.includes('${') ? [] : [{ method, path, contentType, body }],
    )
  })
}
