// What generators that ask a service outside share: which service is meant, how often it is asked, and patterns of filters.

import { RE2JS } from 're2js'
import { z } from 'zod'
import { optional } from '../providers/blocks.ts'
import { GeneratorFault } from './fault.ts'

const values = optional(z.record(z.string(), z.string()))
/** Fields that each of them has. */
export const polled = { requeueAfterSeconds: optional(z.number()), values }

const defaultPollMs = 1_800_000

export const pollMs = ({ requeueAfterSeconds }: { readonly requeueAfterSeconds?: number | undefined }): number =>
  requeueAfterSeconds === undefined || requeueAfterSeconds <= 0 ? defaultPollMs : requeueAfterSeconds * 1000

interface Chosen<P> {
  readonly provider: P
  readonly part: object
}

/** The one provider that a generator's block names. */
export function providerIn<P>(generator: string, block: unknown, providers: Readonly<Record<string, P>>): Chosen<P> {
  const named = Object.entries((block ?? {}) as Readonly<Record<string, unknown>>).flatMap(([name, part]) =>
    Object.hasOwn(providers, name) && typeof part === 'object' && part !== null ? [{ name, part }] : [],
  )
  const [first, second] = named
  const provider = first === undefined ? undefined : providers[first.name]
  if (first === undefined || second !== undefined || provider === undefined)
    throw new GeneratorFault(`${generator}: exactly one of ${Object.keys(providers).join(', ')} is needed`)
  return { provider, part: first.part }
}

/** Go's regular expressions, in linear time; without one everything matches. Throws GeneratorFault. */
export function matcher(generator: string, pattern: string | undefined): (text: string) => boolean {
  if (pattern === undefined) return () => true
  let compiled: RE2JS
  try {
    compiled = RE2JS.compile(pattern)
  } catch {
    throw new GeneratorFault(`${generator}: filters: error parsing regexp: ${pattern}`)
  }
  return (text) => compiled.matcher(text).find()
}
