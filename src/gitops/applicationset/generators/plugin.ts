// What a plug-in answers to a POST: sets of parameters of its own making. A ConfigMap says where it is and which Secret holds
// the token that it is sent.

import { z } from 'zod'
import { WebFault } from '#gitops/web'
import { isJsonMap, type Json, type JsonObject } from '#objects'
import type { Asks } from '../providers/api.ts'
import { optional, read, text } from '../providers/blocks.ts'
import { flatten, type Params, withValues } from '../template.ts'
import { polled, pollMs } from './asked.ts'
import { GeneratorFault } from './fault.ts'
import type { Generate, GeneratorContext } from './generator.ts'

const block = z.looseObject({
  configMapRef: z.object({ name: text }),
  input: optional(z.object({ parameters: optional(z.record(z.string(), z.json())) })),
  ...polled,
})
const answer = z.object({ output: z.object({ parameters: z.array(z.record(z.string(), z.json())) }) })

const defaultTimeoutSeconds = 30

export const plugin: Generate = async ({ plugin: wanted }, context) => {
  const settings = read(block, wanted, 'plugin')
  const parameters = (settings.input?.parameters ?? {}) as JsonObject
  const name = settings.configMapRef.name
  const made = await context.remembered('plugin', wanted, {
    ttlMs: pollMs(settings),
    load: (reads) => ask(reads, { name, parameters, context }),
  })
  const input = { input: { parameters } }
  return made.map((each): Params => {
    const params: Params = context.style.goTemplate
      ? { ...each, generator: input }
      : { ...flatten(each), ...flatten(input, 'generator') }
    return withValues(params, settings.values, context.style)
  })
}

interface Call {
  /** Of the ConfigMap. */
  readonly name: string
  readonly parameters: JsonObject
  readonly context: GeneratorContext
}

type Reads = Pick<Asks, 'secret' | 'configMap'>

async function ask(reads: Reads, { name, parameters, context }: Call): Promise<readonly JsonObject[]> {
  const setting = (key: string) => reads.configMap({ configMapName: name, key })
  const [baseUrl, token] = [setting('baseUrl'), tokenOf(reads, setting('token'))]
  const seconds = Number(orElse(() => setting('requestTimeout'), '0'))
  const fault = (what: string) => new GeneratorFault(`plugin: ConfigMap ${name}: ${what}`)
  if (!Number.isInteger(seconds) || seconds < 0) throw fault('requestTimeout must be a number of seconds')
  const url = `${baseUrl.replace(/\/+$/, '')}/api/v1/getparams.execute`
  const body = JSON.stringify({ applicationSetName: context.setName, input: { parameters } })
  let response: Awaited<ReturnType<typeof context.web>>
  try {
    response = await context.web({
      url,
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      credentials: { authorization: `Bearer ${token}` },
      body,
      timeoutMs: (seconds === 0 ? defaultTimeoutSeconds : seconds) * 1000,
    })
  } catch (error) {
    if (error instanceof WebFault) throw fault(`the plug-in at baseUrl: ${error.message}`)
    throw error
  }
  if (response.status !== 200) throw fault(`the plug-in at baseUrl answered ${response.status}`)
  return parametersIn(response.text) ?? fail(fault('the plug-in must answer {"output": {"parameters": [{…}]}}'))
}

function parametersIn(body: string): readonly JsonObject[] | undefined {
  let value: Json
  try {
    value = JSON.parse(body) as Json
  } catch {
    return undefined
  }
  const result = answer.safeParse(value)
  return result.success
    ? (result.data.output.parameters.filter((each) => isJsonMap(each as Json)) as JsonObject[])
    : undefined
}

/** A key that may be missing. */
function orElse(get: () => string, fallback: string): string {
  try {
    return get()
  } catch (error) {
    if (error instanceof GeneratorFault) return fallback
    throw error
  }
}

function fail(error: Error): never {
  throw error
}

/** `$key` of the Secret argocd-secret, or `$name:key` of another. */
function tokenOf(reads: Reads, reference: string): string {
  if (!reference.startsWith('$'))
    throw new GeneratorFault('plugin: token is empty, or does not reference a secret key starting with "$"')
  const [first = '', key] = reference.slice(1).split(':')
  return reads.secret(key === undefined ? { secretName: 'argocd-secret', key: first } : { secretName: first, key })
}
