// Makes facts/protobuf-1.34.json.gz: for every built-in type its fields on the protobuf wire, read from the struct tags
// of Kubernetes' own types. Run by hand when the level of Kubernetes changes:
//   node setup/extract-protobuf-fields.mjs API_REPO APIMACHINERY_REPO TAG
// where the two are clones of github.com/kubernetes/api and github.com/kubernetes/apimachinery.
//
// A type is a list of fields [number, name, type, flags]. `type` is a scalar (s string, y bytes, i integer, b boolean,
// d double), one of Kubernetes' own scalars (time, microtime, duration, quantity, intorstring, raw, fieldsv1), `map:TYPE`
// with string keys, or the name of another type. Flags: r repeated, n inline, z zero values count (pointers, and fields
// that Go writes even when they are zero).

import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

const [apiRepo, machineryRepo, tag] = process.argv.slice(2)
const show = (repo, path) =>
  execFileSync('git', ['-C', repo, 'show', `${tag}:${path}`], { encoding: 'utf8', maxBuffer: 1 << 26 })

const groupDirectories = { '': 'core', 'rbac.authorization.k8s.io': 'rbac', 'events.k8s.io': 'events' }
const directoryOf = (group) => groupDirectories[group] ?? group.split('.')[0]

const wellKnown = {
  'meta/v1.Time': 'time',
  'meta/v1.MicroTime': 'microtime',
  'meta/v1.Duration': 'duration',
  'meta/v1.FieldsV1': 'fieldsv1',
  'resource.Quantity': 'quantity',
  'intstr.IntOrString': 'intorstring',
  'runtime.RawExtension': 'raw',
  'types.UID': 's',
  'types.NodeName': 's',
  'types.NamespacedName': 's',
}
const scalars = {
  string: 's',
  bool: 'b',
  int32: 'i',
  int64: 'i',
  int: 'i',
  uint8: 'i',
  uint16: 'i',
  uint32: 'i',
  uint64: 'i',
  float64: 'd',
  '[]byte': 'y',
}

/** Every package: its structs (name → lines) and its other named types (name → Go type). */
function readPackage(name, text) {
  const structs = new Map()
  const aliases = new Map()
  let current
  for (const line of text.split('\n')) {
    const start = /^type (\w+) struct \{/.exec(line)
    if (start) {
      current = []
      structs.set(start[1], current)
    } else if (line === '}') current = undefined
    else if (current) current.push(line.trim())
    else {
      const alias = /^type (\w+) (?!struct|interface)=?\s*([\w.[\]*]+)/.exec(line)
      if (alias) aliases.set(alias[1], alias[2])
    }
  }
  return { name, structs, aliases }
}

const packages = new Map()
packages.set('meta/v1', readPackage('meta/v1', show(machineryRepo, 'pkg/apis/meta/v1/types.go')))
const rows = readFileSync('facts/api-resources.tsv', 'utf8').trimEnd().split('\n').slice(1)
for (const row of rows) {
  const [group, version] = row.split('\t')
  if (group.endsWith('apiextensions.k8s.io') || group.endsWith('apiregistration.k8s.io')) continue
  const name = `${directoryOf(group)}/${version}`
  if (!packages.has(name)) packages.set(name, readPackage(name, show(apiRepo, `${name}/types.go`)))
}

/** `metav1.ObjectMeta` → `meta/v1.ObjectMeta`; `v1.X` and the like by what the packages import. */
function qualify(type, pkg) {
  const [prefix, name] = type.includes('.') ? type.split('.') : [undefined, type]
  if (prefix === undefined) return `${pkg}.${name}`
  if (prefix === 'metav1') return `meta/v1.${name}`
  if (prefix === 'corev1' || prefix === 'v1') {
    return packages.get('core/v1').structs.has(name) || packages.get('core/v1').aliases.has(name)
      ? `core/v1.${name}`
      : `meta/v1.${name}`
  }
  const imported = { apiv1: 'core/v1', authenticationv1: 'authentication/v1' }[prefix]
  return imported === undefined ? `${prefix}.${name}` : `${imported}.${name}`
}

const types = {}
const missing = new Set()

/** [type, flags] of a Go type. */
function resolve(go, pkg) {
  if (scalars[go]) return [scalars[go], '']
  if (go.startsWith('*')) {
    const [type, flags] = resolve(go.slice(1), pkg)
    return [type, `${flags}z`]
  }
  if (go.startsWith('[]')) {
    const [type] = resolve(go.slice(2), pkg)
    return [type, 'r']
  }
  const map = /^map\[([\w.]+)\](.*)$/.exec(go)
  if (map) return [`map:${resolve(map[2], pkg)[0]}`, '']
  const full = qualify(go, pkg)
  if (wellKnown[full]) return [wellKnown[full], '']
  const [home, name] = [full.slice(0, full.lastIndexOf('.')), full.slice(full.lastIndexOf('.') + 1)]
  const found = packages.get(home)
  const alias = found?.aliases.get(name)
  if (alias !== undefined) {
    // A named list is a message of its own, with the list as field 1.
    if (alias.startsWith('[]')) return [`list:${resolve(alias.slice(2), home)[0]}`, '']
    return resolve(alias, home)
  }
  if (!found?.structs.has(name)) missing.add(full)
  define(home, name)
  return [full, '']
}

function define(pkg, name) {
  const full = `${pkg}.${name}`
  if (types[full] !== undefined) return
  types[full] = []
  for (const line of packages.get(pkg)?.structs.get(name) ?? []) {
    const match = /^(?:(\w+)\s+)?(\S+)\s+`(.*)`/.exec(line)
    if (!match) continue
    const json = /json:"([^"]*)"/.exec(match[3])?.[1] ?? ''
    const number = /protobuf:"\w+,(\d+),/.exec(match[3])?.[1]
    if (number === undefined) continue
    const [jsonName, ...options] = json.split(',')
    const [type, flags] = resolve(match[2], pkg)
    const inline = options.includes('inline') ? 'n' : ''
    const zero = !flags.includes('z') && !options.includes('omitempty') ? 'z' : ''
    types[full].push([Number(number), jsonName, type, flags + inline + zero])
  }
}

for (const [name, { structs }] of packages) for (const struct of structs.keys()) define(name, struct)
if (missing.size > 0) console.error('unknown types:', [...missing].join(' '))
const text = JSON.stringify(types)
writeFileSync('facts/protobuf-1.34.json.gz', gzipSync(text, { level: 9 }))
console.log(`${Object.keys(types).length} types, ${text.length} bytes`)
