// Objects of built-in kinds as the API server has them before it asks for their faults: decoded, with all defaults.

import { builtInSchema, type KindRules, kindRules } from '#kinds'
import { type AnyObject, applySchemaDefaults, decode } from '#objects'

export function made(
  apiVersion: string,
  kind: string,
  fields: object,
): { object: AnyObject; rules: KindRules<AnyObject> } {
  const [version = '', group = ''] = apiVersion.split('/').reverse()
  const schema = builtInSchema(group, version, kind)
  const rules = kindRules.find(
    (one) => one.kind.kind === kind && one.kind.group === group,
  ) as unknown as KindRules<AnyObject>
  if (schema === undefined) throw new Error(`no ${kind}`)
  const metadata = { name: 'a', namespace: 'ns', uid: 'u', creationTimestamp: '2025-01-01T00:00:00Z' }
  const decoded = decode({ apiVersion, kind, metadata, ...fields }, schema).value
  const object = applySchemaDefaults(decoded, schema) as AnyObject
  return { object: rules.defaults?.(object) ?? object, rules }
}
