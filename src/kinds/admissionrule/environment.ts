// What expressions about a request can name: the request, its object before and after, the namespace, access and, in
// policies, parameters and variables (k8s.io/apiserver/pkg/admission/plugin/cel/compile.go).

import {
  authorizerType,
  boolType,
  type CelType,
  dynType,
  type EnvironmentOptions,
  environmentOf,
  listOf,
  mapOf,
  objectOf,
  resourceCheckType,
  type Surroundings,
  scalar,
  stringType,
} from '../cel/index.ts'

const texts = (...names: string[]): Readonly<Record<string, CelType>> =>
  Object.fromEntries(names.map((name) => [name, stringType]))

const [int, timestamp] = [scalar('int'), scalar('timestamp')]
const kindType = objectOf('kubernetes.GroupVersionKind', texts('group', 'version', 'kind'))
const resourceType = objectOf('kubernetes.GroupVersionResource', texts('group', 'version', 'resource'))
const userType = objectOf('kubernetes.UserInfo', {
  ...texts('username', 'uid'),
  groups: listOf(stringType),
  extra: mapOf(stringType, listOf(stringType)),
})

const requestType = objectOf('kubernetes.AdmissionRequest', {
  kind: kindType,
  resource: resourceType,
  requestKind: kindType,
  requestResource: resourceType,
  ...texts('subResource', 'requestSubResource', 'name', 'namespace', 'operation'),
  userInfo: userType,
  dryRun: boolType,
  options: dynType,
})

const namespaceType = objectOf('kubernetes.Namespace', {
  metadata: objectOf('kubernetes.NamespaceMetadata', {
    ...texts('name', 'generateName', 'namespace', 'UID', 'resourceVersion'),
    labels: mapOf(stringType, stringType),
    annotations: mapOf(stringType, stringType),
    creationTimestamp: timestamp,
    deletionTimestamp: timestamp,
    deletionGracePeriodSeconds: int,
    generation: int,
    finalizers: listOf(stringType),
  }),
  spec: objectOf('kubernetes.NamespaceSpec', { finalizers: listOf(stringType) }),
  status: objectOf('kubernetes.NamespaceStatus', {
    conditions: listOf(
      objectOf('kubernetes.NamespaceCondition', {
        ...texts('status', 'type', 'message', 'reason'),
        lastTransitionTime: timestamp,
      }),
    ),
    phase: stringType,
  }),
})

export interface RequestNames {
  /** Of the object; nothing is known of it if left out. */
  readonly object?: CelType
  /** Absent where a policy has none. */
  readonly params?: CelType
  readonly hasAuthorizer?: boolean
  /** Whether `authorizer.requestResource` is known, too. */
  readonly hasRequestResource?: boolean
  /** Of a policy, by their names; absent where there are none. */
  readonly variables?: ReadonlyMap<string, CelType>
}

export function requestEnvironment(
  { object = dynType, params, hasAuthorizer = true, hasRequestResource = true, variables }: RequestNames,
  options?: EnvironmentOptions,
): Surroundings {
  return environmentOf(
    {
      object,
      oldObject: object,
      request: requestType,
      namespaceObject: namespaceType,
      ...(hasAuthorizer ? { authorizer: authorizerType } : {}),
      ...(hasAuthorizer && hasRequestResource ? { 'authorizer.requestResource': resourceCheckType } : {}),
      ...(params && { params }),
      ...(variables && { variables: objectOf('kubernetes.variables', Object.fromEntries(variables)) }),
    },
    options,
  )
}

const scalars: ReadonlySet<string> = new Set('bool bytes double duration int null string timestamp uint any'.split(' '))

/** What later expressions know of a variable's type: of values that are neither plain nor lists or maps, nothing. */
export function variableType(type: CelType | undefined): CelType {
  if (type === undefined) return dynType
  if (type.kind === 'list') return listOf(variableType(type.of))
  if (type.kind === 'map') return mapOf(variableType(type.key), variableType(type.value))
  return scalars.has(type.kind) ? type : dynType
}
