// The built-in resources: every row of the table of #kinds with its schema, its rules and the version it is kept in.

import { apiVersionOf, builtInSchema, type KindRules, kindRules, type ResourceInfo, resourceTable } from '#kinds'
import { conversions } from './conversions.ts'
import { groupResource } from './errors.ts'
import type { Registry } from './served.ts'
import { resolveStrategy } from './strategy.ts'

const deprecations: Readonly<Record<string, string>> = {
  '/v1/endpoints': 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
  '/v1/componentstatuses': 'v1 ComponentStatus is deprecated in v1.19+',
}

const rulesOf = (info: ResourceInfo): KindRules<never> | undefined =>
  kindRules.find(
    ({ kind }) => kind.group === info.group && kind.resource === info.resource && kind.version === info.version,
  )

export function addBuiltIns(registry: Registry): void {
  for (const info of resourceTable) {
    const schema = builtInSchema(info.group, info.version, info.kind)
    const path = `${info.group}/${info.version}/${info.resource}`
    const conversion = conversions[path]
    const deprecation = deprecations[path]
    const keptSchema =
      conversion === undefined ? schema : builtInSchema(conversion.group, conversion.version, info.kind)
    registry.add({
      info,
      apiVersion: apiVersionOf(info),
      bucket: conversion?.bucket ?? groupResource(info),
      schema,
      strategy: resolveStrategy(info, rulesOf(info), keptSchema),
      ...(conversion === undefined ? {} : { conversion }),
      ...(deprecation === undefined ? {} : { deprecation }),
    })
  }
}
