// Makes src/kinds/generated/descriptions.ts: what every built-in type and field means, for `kubectl explain` and OpenAPI.
// Read from the declarations of @kubernetes/client-node, whose texts are those of Kubernetes' own specification; they have none of
// fields that refer to a type, so that those come from kubernetes-types, which is older, or from field-texts.mjs. The query parameters of requests come from there too: names, types and texts.

import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { fieldTexts } from './field-texts.mjs'

const models = 'node_modules/@kubernetes/client-node/dist/gen/models'

const olderTypes = 'node_modules/kubernetes-types'

const capital = (text) => `${text[0].toUpperCase()}${text.slice(1)}`

/** Names that a model may have: `V1Pod`, or `CoreV1Event` where two groups use one name. */
function modelNames(id) {
  const parts = id.split('.')
  const name = parts.at(-1)
  const version = capital(parts.at(-2))
  const group = capital(parts.at(-3))
  return [`${group}${version}${name}`, `${version}${name}`, name]
}

/** Texts are escaped twice; what would end a comment has an underscore in between. */
const unescaped = (text) =>
  text
    .replace(/\\(['"\\])/g, '$1')
    .replaceAll('*_/', '*/')
    .replaceAll('/_*', '/*')
    .trim()

/** The comment before the class, and before each of its fields. */
function parseModel(source) {
  const at = source.indexOf('export declare class')
  if (at < 0) return undefined
  const comments = [...source.slice(0, at).matchAll(/\/\*\*\s*\n([\s\S]*?)\*\//g)]
  const about = comments.at(-1)?.[1] ?? ''
  const fields = {}
  const pattern = /\/\*\*\s*\n\s*\*([\s\S]*?)\*\/\s*'([^']+)'\??:/g
  for (const [, text, name] of source.slice(at).matchAll(pattern)) fields[fieldName(name)] = clean(text)
  return { about: about.includes('OpenAPI spec version') ? '' : clean(about), fields }
}

/** Names that are no identifiers there are written otherwise. */
const fieldName = (name) => (name.startsWith('x_') ? name.replaceAll('_', '-') : name.replace(/^_/, ''))

const clean = (text) =>
  unescaped(
    text
      .split('\n')
      .map((line) => line.replace(/^\s*\*\s?/, ''))
      .join('\n'),
  )

/** The types of a module of kubernetes-types (`batch/v1.d.ts`), with their texts and those of their fields. */
function parseTypes(source) {
  const found = {}
  for (const [, text, kind, name] of source.matchAll(
    /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\nexport (interface|type) (\w+)/g,
  )) {
    const from = source.indexOf(`export ${kind} ${name} `)
    const body = kind === 'interface' ? source.slice(from, source.indexOf('\n}', from)) : ''
    const fields = {}
    for (const [, about, field] of body.matchAll(/\/\*\*([\s\S]*?)\*\/\s*(?:readonly )?"?([^\s"?:]+)"?\??:/g))
      fields[field] = clean(about)
    found[name] = { about: clean(text), fields }
  }
  return found
}

function olderTypesIn(root) {
  const modules = new Map()
  const read = (file) => {
    if (!modules.has(file)) modules.set(file, existsSync(file) ? parseTypes(readFileSync(file, 'utf8')) : {})
    return modules.get(file)
  }
  return (id) => {
    const [group, version, name] = id.split('.').slice(-3)
    const folder = `${root}/${olderTypes}`
    return read(`${folder}/${group}/${version}.d.ts`)[name] ?? read(`${folder}/${version}.d.ts`)[name]
  }
}

const requests = 'node_modules/@kubernetes/client-node/dist/gen/types/ObjectParamAPI.d.ts'

/** Requests of the client that have all parameters of a kind of options. */
const requestOf = {
  ListOptions: 'ListNamespacedPod',
  CreateOptions: 'CreateNamespacedPod',
  UpdateOptions: 'ReplaceNamespacedPod',
  PatchOptions: 'PatchNamespacedPod',
  DeleteOptions: 'DeleteNamespacedPod',
  PodLogOptions: 'ReadNamespacedPodLog',
  PodAttachOptions: 'ConnectGetNamespacedPodAttach',
  PodExecOptions: 'ConnectGetNamespacedPodExec',
  PodPortForwardOptions: 'ConnectGetNamespacedPodPortforward',
  PodProxyOptions: 'ConnectGetNamespacedPodProxy',
  ServiceProxyOptions: 'ConnectGetNamespacedServiceProxy',
  NodeProxyOptions: 'ConnectGetNodeProxy',
}

const entities = { '#39': "'", quot: '"', '#x60': '`', '#x3D': '=', amp: '&', lt: '<', gt: '>' }
const plain = (text) => clean(text.replace(/\\?&(#39|quot|#x60|#x3D|amp|lt|gt);/g, (_, name) => entities[name]))

/** `{ListOptions: {limit: ['integer', text]}}`. */
function parseParameters(source) {
  const of = (request) => {
    const from = source.indexOf(`export interface CoreV1Api${request}Request {`)
    const part = source.slice(from, source.indexOf('\n}', from))
    const found = {}
    for (const [, text, type, name] of part.matchAll(
      /\/\*\*([\s\S]*?)\* Defaults to[\s\S]*?@type (\w+)[\s\S]*?\*\/\s*(\w+)\??:/g,
    ))
      if (!['name', 'namespace', 'pretty', 'body'].includes(name))
        found[name.replace(/^_/, '')] = [type === 'number' ? 'integer' : type, plain(text)]
    return found
  }
  return Object.fromEntries(Object.entries(requestOf).map(([options, request]) => [options, of(request)]))
}

const squeezed = (text) => text.replace(/\s+/g, ' ')

/**
 * A field that has the text of its type has none of its own: clients write that of the type below it. Such a text goes to
 * the type where nothing else tells of it.
 */
function takeTextsOfTypes(definitions, out, before) {
  for (const [id, [, fields]] of Object.entries(out))
    for (const [field, property] of Object.entries(definitions[id].properties ?? {})) {
      const [, ref] =
        /"#\/components\/schemas\/([^"]+)"/.exec(JSON.stringify(property.allOf ?? property.$ref ?? '')) ?? []
      const known = squeezed(out[ref]?.[0] ?? '')
      const isOfType = (text) =>
        ref !== undefined &&
        text !== undefined &&
        (known === '' ? text.startsWith(`${ref.split('.').at(-1)} `) : squeezed(text) === known)
      const text = fields[field]
      if (!isOfType(text)) continue
      out[ref] ??= [text, {}]
      const own = before(id)?.fields[field]
      if (own === undefined || isOfType(own)) delete fields[field]
      else fields[field] = own
    }
}

/** Writes the descriptions of all types of facts/ that the models know, and of the parameters of requests. */
export function generateDescriptions(root) {
  const definitions = JSON.parse(gunzipSync(readFileSync(`${root}/facts/schema-1.34.json.gz`)).toString('utf8'))
  const folder = `${root}/${models}`
  const known = new Set(existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith('.d.ts')) : [])
  const before = olderTypesIn(root)
  const out = {}
  for (const id of Object.keys(definitions)) {
    const name = modelNames(id).find((candidate) => known.has(`${candidate}.d.ts`))
    const model = name === undefined ? undefined : parseModel(readFileSync(`${folder}/${name}.d.ts`, 'utf8'))
    const older = before(id)
    if (model !== undefined || older !== undefined)
      out[id] = [model?.about || older?.about || '', { ...older?.fields, ...model?.fields }]
  }
  takeTextsOfTypes(definitions, out, before)
  for (const [id, fields] of Object.entries(fieldTexts))
    if (out[id] !== undefined) out[id][1] = { ...fields, ...out[id][1] }
  const target = `${root}/src/kinds/generated`
  mkdirSync(target, { recursive: true })
  const head = '// Generated by setup/generate-descriptions.mjs; not committed.\n'
  const parameters = parseParameters(readFileSync(`${root}/${requests}`, 'utf8'))
  const asText = (name, value) => `export const ${name}: string =\n  ${JSON.stringify(JSON.stringify(value))}\n`
  const texts = `${asText('descriptionsText', out)}${asText('parametersText', parameters)}`
  writeFileSync(`${target}/descriptions.ts`, `${head}${texts}`)
  const digest = createHash('sha256').update(texts).digest('hex').slice(0, 16)
  writeFileSync(`${target}/digest.ts`, `${head}export const documentationDigest = '${digest}'\n`)
}

if (import.meta.url === `file://${process.argv[1]}`) generateDescriptions(process.cwd())
