// Asks the APIs of AWS: JSON, signed with the keys that the operator lets generators use, or with those of a role that these may
// assume. Keys never come from a manifest. Addresses are those of the region, or those that the environment names, as for
// AWS's own programs. Errors name what was asked and AWS's name of the fault; nothing else that it said.

import { z } from 'zod'
import { type AwsKeys, signedHeaders, type WebResponse } from '#gitops/web'
import { GeneratorFault } from '../generators/fault.ts'
import type { Asks } from './api.ts'
import type { AwsEnvironment } from './aws-environment.ts'
import { boundedWeb } from './bounded.ts'

const services = {
  codecommit: { title: 'CodeCommit', target: 'CodeCommit_20150413', variable: 'CODECOMMIT' },
  tagging: {
    title: 'Resource Groups Tagging',
    target: 'ResourceGroupsTaggingAPI_20170126',
    variable: 'RESOURCE_GROUPS_TAGGING_API',
  },
  sts: { title: 'STS', target: '', variable: 'STS' },
} as const
type AwsService = keyof typeof services

interface AwsPlace {
  readonly region: string | undefined
  readonly role: string | undefined
}

/** A fault of AWS's own. */
export class AwsFault extends GeneratorFault {
  /** `RepositoryDoesNotExistException` */
  readonly code: string

  constructor(message: string, code: string) {
    super(message)
    this.code = code
  }
}

export interface AwsApi {
  ask<T>(schema: z.ZodType<T>, service: Exclude<AwsService, 'sts'>, action: string, input: object): Promise<T>
}

/** Throws GeneratorFault. */
export async function awsApi(place: AwsPlace, { web, aws, generator }: Asks): Promise<AwsApi> {
  const fault = (what: string): GeneratorFault => new GeneratorFault(`${generator}: AWS: ${what}`)
  if (aws === undefined)
    throw fault('no generator may use your AWS keys unless homeostat is started with --aws (awsCodeCommit needs them)')
  const region = place.region || aws['AWS_REGION'] || aws['AWS_DEFAULT_REGION'] || ''
  // It becomes a part of a host's name.
  if (!/^[a-z0-9-]{1,40}$/.test(region))
    throw fault(region === '' ? 'no region: set region, or AWS_REGION' : `region is no name of a region: ${region}`)
  const line: Line = { region, aws, fault, ask: boundedWeb(web, fault), times: new Map() }
  const own = ownKeys(line)
  const keys = place.role === undefined || place.role === '' ? own : await assumed(line, own, place.role)
  return {
    async ask(schema, service, action, input) {
      const { target } = services[service]
      const headers = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': `${target}.${action}` }
      const response = await send(line, service, { keys, headers, body: JSON.stringify(input) })
      return read(line, { schema, service, action }, response)
    },
  }
}

interface Line {
  readonly region: string
  readonly aws: AwsEnvironment
  readonly fault: (what: string) => GeneratorFault
  readonly ask: ReturnType<typeof boundedWeb>
  /** What time it was at each service. */
  readonly times: Map<AwsService, Promise<Date>>
}

function ownKeys({ aws, fault }: Line): AwsKeys {
  const [accessKeyId, secretAccessKey] = [aws['AWS_ACCESS_KEY_ID'], aws['AWS_SECRET_ACCESS_KEY']]
  if (accessKeyId && secretAccessKey)
    return { accessKeyId, secretAccessKey, sessionToken: aws['AWS_SESSION_TOKEN'] || undefined }
  throw fault(
    'there are no keys in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY: start homeostat with them (`aws configure export-credentials --format env` prints those of a profile)',
  )
}

function addressOf({ region, aws, fault }: Line, service: AwsService): URL {
  const { variable } = services[service]
  const given = aws[`AWS_ENDPOINT_URL_${variable}`] || aws['AWS_ENDPOINT_URL']
  const text = given ?? `https://${service}.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`
  if (!URL.canParse(text)) throw fault(`AWS_ENDPOINT_URL_${variable} or AWS_ENDPOINT_URL is no URL`)
  return new URL('/', text)
}

interface Sending {
  readonly keys: AwsKeys
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

async function send(line: Line, service: AwsService, { keys, headers, body }: Sending): Promise<WebResponse> {
  const url = addressOf(line, service)
  const asked = line.times.get(service) ?? timeAt(line, service, url)
  line.times.set(service, asked)
  const at = await asked
  const signed = signedHeaders({ method: 'POST', url, headers, body }, keys, { region: line.region, service, at })
  return line.ask({ url: url.href, method: 'POST', credentials: signed, body })
}

/** The time is the server's: the world's may be another. A signature holds for minutes, longer than all requests may take. */
async function timeAt({ ask, fault }: Line, service: AwsService, url: URL): Promise<Date> {
  const at = new Date((await ask({ url: url.href })).header('date'))
  if (Number.isNaN(at.getTime())) throw fault(`${services[service].title} does not say what time it is`)
  return at
}

interface Wanted<T> {
  readonly schema: z.ZodType<T>
  readonly service: AwsService
  readonly action: string
}

function read<T>({ fault }: Line, { schema, service, action }: Wanted<T>, { status, text }: WebResponse): T {
  const what = `${services[service].title} ${action}`
  const value = parsed(text)
  if (status < 200 || status > 299) {
    const { __type: type } = z.object({ __type: z.string() }).safeParse(value).data ?? { __type: '' }
    const code = /(?:^|#)([A-Za-z]{1,80})$/.exec(type)?.[1] ?? ''
    throw new AwsFault(fault(`${what} answered ${status}${code === '' ? '' : ` ${code}`}`).message, code)
  }
  const checked = schema.safeParse(value)
  if (checked.success) return checked.data
  throw fault(`the answer to ${what} is not what was expected, at ${checked.error.issues[0]?.path.join('.') ?? ''}`)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Keys of a role, for an hour. STS speaks forms and XML. */
async function assumed(line: Line, keys: AwsKeys, role: string): Promise<AwsKeys> {
  const form = { Action: 'AssumeRole', Version: '2011-06-15', RoleArn: role, RoleSessionName: 'homeostat' }
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const { status, text } = await send(line, 'sts', { keys, headers, body: new URLSearchParams(form).toString() })
  const within = (tag: string): string => {
    const from = text.indexOf(`<${tag}>`)
    const to = from < 0 ? -1 : text.indexOf(`</${tag}>`, from)
    return to < 0 ? '' : text.slice(from + tag.length + 2, to).trim()
  }
  const code = /^[A-Za-z]{1,80}$/.exec(within('Code'))?.[0] ?? ''
  if (status < 200 || status > 299)
    throw line.fault(`the role ${role} cannot be assumed: STS answered ${status}${code === '' ? '' : ` ${code}`}`)
  const given = {
    accessKeyId: within('AccessKeyId'),
    secretAccessKey: within('SecretAccessKey'),
    sessionToken: within('SessionToken'),
  }
  if (Object.values(given).includes('')) throw line.fault(`the role ${role} cannot be assumed: STS gave no keys`)
  return given
}
