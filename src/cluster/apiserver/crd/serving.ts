// From a definition to the resources that it makes the server serve: one for each served version.

import { compareVersions, type ResourceInfo, type SubresourceInfo, schemaOfCustomResource } from '#kinds'
import type { AnyObject } from '#objects'
import type { CustomDetails, Served } from '../served.ts'
import { conversionOf, type WebhookCaller } from './converter.ts'
import { customStrategy } from './custom-strategy.ts'
import { isTrue, specOf, statusOf, type VersionSpec } from './spec.ts'

const verbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch']
const subresourceVerbs = ['get', 'patch', 'update']

/** Empty until the definition's names have been accepted once. */
export function servedVersions(definition: AnyObject, caller: WebhookCaller): readonly Served[] {
  if (!isTrue(definition, 'Established')) return []
  return specOf(definition)
    .versions.filter((version) => version.served)
    .toSorted((a, b) => compareVersions(a.name, b.name))
    .map((version) => servedVersion(definition, version, caller))
}

/** The version that objects are kept in, whether it is served or not; undefined for a definition that never was. */
export function storageVersion(definition: AnyObject, caller: WebhookCaller): Served | undefined {
  const storage = specOf(definition).versions.find((version) => version.storage)
  if (storage === undefined || !isTrue(definition, 'Established')) return undefined
  return servedVersion(definition, storage, caller)
}

function servedVersion(definition: AnyObject, version: VersionSpec, caller: WebhookCaller): Served {
  const { group } = specOf(definition)
  const info = infoOf(definition, version)
  const schema = schemaOfCustomResource(version.schema?.openAPIV3Schema)
  const apiVersion = `${group}/${version.name}`
  return {
    info,
    apiVersion,
    bucket: `${info.resource}.${group}`,
    schema,
    strategy: customStrategy(info, version),
    conversion: conversionOf(definition, { version, schema }, caller),
    custom: customDetails(definition, version),
  }
}

function infoOf(definition: AnyObject, version: VersionSpec): ResourceInfo {
  const { group, names, scope } = specOf(definition)
  const { acceptedNames } = statusOf(definition)
  const own = { group: '', version: '', kind: names.kind, verbs: subresourceVerbs }
  const { status, scale } = version.subresources ?? {}
  const subresources: readonly SubresourceInfo[] = [
    ...(status === undefined || status === null ? [] : [{ ...own, name: 'status' }]),
    ...(scale === undefined || scale === null
      ? []
      : [{ name: 'scale', group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: subresourceVerbs }]),
  ]
  return {
    group,
    version: version.name,
    resource: names.plural,
    kind: names.kind,
    singular: acceptedNames?.singular ?? names.kind.toLowerCase(),
    namespaced: scope === 'Namespaced',
    shortNames: acceptedNames?.shortNames ?? [],
    categories: acceptedNames?.categories ?? [],
    verbs: isTrue(definition, 'Terminating') ? verbs.filter((verb) => verb !== 'create') : verbs,
    subresources,
  }
}

function customDetails(definition: AnyObject, version: VersionSpec): CustomDetails {
  const { group, names, versions } = specOf(definition)
  const scale = version.subresources?.scale
  const kept = versions.find(({ storage, served }) => storage && served)
  const warning = version.deprecationWarning ?? `${group}/${version.name} ${names.kind} is deprecated`
  return {
    definition,
    listKind: names.listKind ?? `${names.kind}List`,
    ...(scale === undefined || scale === null ? {} : { scale }),
    ...(version.deprecated === true ? { deprecationWarning: warning } : {}),
    ...(kept === undefined ? {} : { storageVersion: kept.name }),
    terminating: isTrue(definition, 'Terminating'),
  }
}
