// Fields that blocks of several providers share, and how a block is checked.

import { z } from 'zod'
import { GeneratorFault } from '../generators/fault.ts'
import { type Asks, basicAuth } from './api.ts'

export const text = z.string().min(1)
export const secretRef = z.object({ secretName: z.string(), key: z.string() })
export const configMapRef = z.object({ configMapName: z.string(), key: z.string() })
export const optional = <T extends z.ZodType>(schema: T) => schema.nullish().transform((value) => value ?? undefined)
export const flag = z
  .boolean()
  .nullish()
  .transform((value) => value === true)
export const texts = z
  .array(z.string())
  .nullish()
  .transform((value) => value ?? [])
export const tls = { insecure: flag, caRef: optional(configMapRef) }

/** Throws GeneratorFault, which says what is missing where. */
export function read<T>(schema: z.ZodType<T>, block: unknown, where: string): T {
  const result = schema.safeParse(block)
  if (result.success) return result.data
  const { path, message } = result.error.issues[0] ?? { path: [], message: '' }
  throw new GeneratorFault(`${[where, ...path].join('.')}: ${message}`)
}

type Token = z.infer<typeof secretRef> | undefined

/** A header with a token in it; none without a token. */
export const token = (asks: Asks, ref: Token, header: (value: string) => Readonly<Record<string, string>>) =>
  ref === undefined ? {} : header(asks.secret(ref))

export const bitbucketAuth = {
  basicAuth: optional(z.object({ username: z.string(), passwordRef: optional(secretRef) })),
  bearerToken: optional(z.object({ tokenRef: optional(secretRef) })),
}

interface BitbucketAuth {
  readonly basicAuth?: { readonly username: string; readonly passwordRef?: Token } | undefined
  readonly bearerToken?: { readonly tokenRef?: Token } | undefined
}

/** A token wins over a name and password. */
export function bitbucketCredentials(asks: Asks, auth: BitbucketAuth): Readonly<Record<string, string>> {
  const { bearerToken, basicAuth: basic } = auth
  if (bearerToken !== undefined)
    return token(asks, bearerToken.tokenRef, (value) => ({ authorization: `Bearer ${value}` }))
  return basic === undefined ? {} : token(asks, basic.passwordRef, (value) => basicAuth(basic.username, value))
}

/** The address of a clone: ssh unless https is asked for. */
export function cloneProtocolOf(value: string | undefined, title: string): 'ssh' | 'https' {
  if (value === undefined || value === '' || value === 'ssh') return 'ssh'
  if (value === 'https') return 'https'
  throw new GeneratorFault(`scmProvider: unknown clone protocol for ${title} ${value}`)
}
