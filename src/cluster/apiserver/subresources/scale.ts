// The scale subresource: an autoscaling/v1 Scale made from an object, and written back as its replicas. Works for the
// workload kinds and for custom resources that say where their replicas are.

import type { ApiResponse, Verb } from '#api'
import { ageColumn, type Column, integer, invalid, nameColumn } from '#kinds'
import {
  type AnyObject,
  configurationFault,
  formatSelector,
  type LabelSelector,
  type ObjectMeta,
  selectorOf,
} from '#objects'
import type { Entry } from '#store'
import { applied, checkConfiguration, decodeApplied } from '../apply.ts'
import { readApplyBody, readBody, readPatchBody } from '../body.ts'
import { expectedKind } from '../body-expected.ts'
import { invalidError, notFoundError, plainError } from '../errors.ts'
import { withMetadata } from '../object-meta.ts'
import { patchedObject, patchTypeOf } from '../patch.ts'
import { existing } from '../read.ts'
import { respondOther } from '../represent.ts'
import type { Scope } from '../scope.ts'
import { fromStored, type Served, shown } from '../served.ts'
import { whenDone } from '../soon.ts'
import { checkNames, mainWay, updateObject } from '../update.ts'
import { checkWriteOptions } from '../write-options.ts'
import { valueAt, withValueAt } from './json-path.ts'

const expected = expectedKind('autoscaling', 'v1', 'Scale')

interface Scale extends AnyObject {
  readonly spec?: { readonly replicas?: number }
  readonly status?: { readonly replicas?: number }
}

interface Scalable {
  readonly replicas?: number
  readonly selector?: LabelSelector | Readonly<Record<string, string>>
}

export const scale: Partial<Readonly<Record<Verb, (scope: Scope) => ApiResponse | Promise<ApiResponse>>>> = {
  get: (scope) => whenDone(shown(scope.served, existing(scope).value, true), (object) => answerOf(scope, object)),
  update: (scope) => {
    checkWriteOptions(scope, 'UpdateOptions')
    const body = readBody(scope, expected) as Scale
    checkNames(scope, body)
    return write(scope, () => body)
  },
  patch: (scope) => {
    const type = patchTypeOf(scope)
    if (type === 'application/apply-patch+yaml') return apply(scope)
    checkWriteOptions(scope, 'PatchOptions', false)
    const { patch, strictErrors } = readPatchBody(scope)
    return write(scope, (current) => patchedObject(scope, { current, type, patch, strictErrors, expected }) as Scale)
  },
}

/** How others' claims to the replicas are told to whoever applies a Scale. */
const conflictsAs = { apiVersion: 'autoscaling/v1', path: ['spec', 'replicas'] }

/** Applies a Scale: its manager owns the replicas of the object, and nothing else of it. */
async function apply(scope: Scope): Promise<ApiResponse> {
  const { served } = scope
  checkWriteOptions(scope, 'PatchOptions', true)
  const { config } = readApplyBody(scope)
  checkConfiguration(config, { apiVersion: 'autoscaling/v1', kind: 'Scale' })
  const fault = expected.schema === undefined ? undefined : configurationFault(config, expected.schema)
  if (fault !== undefined) throw plainError(fault)
  const { spec, metadata } = config as Scale
  const paths = pathsOf(served)
  const named = { apiVersion: served.apiVersion, kind: served.info.kind, metadata: { name: scope.name } }
  const wanted = spec?.replicas === undefined ? named : withValueAt(named, paths.spec, spec.replicas)
  const change = (entry: Entry | undefined) => {
    if (entry === undefined) throw notFoundError(served.info, scope.name)
    const { object, managed } = applied(scope, { entry, config: wanted, conflictsAs })
    // Replicas that nobody wants any more are none, not the default of the object's kind.
    const replicas = Number(valueAt(object, paths.spec) ?? 0)
    const next = { ...config, metadata: { ...object.metadata, ...metadata }, spec: { replicas } }
    checkNames(scope, next)
    return { incoming: decodeApplied(scope, scaled(scope, object, next), config), managed }
  }
  const { value } = await updateObject(scope, { way: { ...mainWay(served), subresource: 'scale' }, change })
  return answerOf(scope, await shown(served, value))
}

function pathsOf({ custom }: Served): { readonly spec: string; readonly status: string; readonly selector?: string } {
  if (custom?.scale === undefined) return { spec: '.spec.replicas', status: '.status.replicas' }
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = custom.scale
  return {
    spec: specReplicasPath,
    status: statusReplicasPath,
    ...(labelSelectorPath === undefined ? {} : { selector: labelSelectorPath }),
  }
}

function selectorText(served: Served, object: AnyObject): string {
  const paths = pathsOf(served)
  if (served.custom !== undefined)
    return paths.selector === undefined ? '' : String(valueAt(object, paths.selector) ?? '')
  const { selector } = (object['spec'] ?? {}) as Scalable
  if (selector === undefined) return ''
  const isPlain = served.bucket === 'replicationcontrollers'
  return formatSelector(
    selectorOf(isPlain ? { matchLabels: selector as Readonly<Record<string, string>> } : (selector as LabelSelector)),
  )
}

/** Metadata of a Scale is the part of its object's that names it. */
function scaleMetadata({ name, namespace, uid, resourceVersion, creationTimestamp }: ObjectMeta): ObjectMeta {
  const meta = { name, namespace, uid, resourceVersion, creationTimestamp }
  return Object.fromEntries(Object.entries(meta).filter(([, value]) => value !== undefined))
}

/** The Scale of an object as its version is served. */
export function scaleOf(served: Served, object: AnyObject): AnyObject {
  const paths = pathsOf(served)
  const wanted = Number(valueAt(object, paths.spec) ?? 0)
  const selector = selectorText(served, object)
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: scaleMetadata(object.metadata),
    spec: wanted === 0 ? {} : { replicas: wanted },
    status: { replicas: Number(valueAt(object, paths.status) ?? 0), ...(selector === '' ? {} : { selector }) },
  }
}

const columns: readonly Column<Scale>[] = [
  { ...nameColumn, format: '' },
  integer(
    'Desired',
    'replicas is the desired number of instances for the scaled object.',
    (scale) => scale.spec?.replicas ?? 0,
  ),
  integer(
    'Available',
    'replicas is the actual number of observed instances of the scaled object.',
    (scale) => scale.status?.replicas ?? 0,
  ),
  ageColumn,
]

/** Scales of custom resources are shown in the columns that their definition has for the whole. */
const answerOf = (scope: Scope, object: AnyObject): ApiResponse =>
  respondOther(
    scope,
    scaleOf(scope.served, object),
    scope.served.custom === undefined ? (columns as readonly Column<AnyObject>[]) : undefined,
  )

/** The object with the replicas of a Scale. */
export const withScale = (served: Served, object: AnyObject, scale: AnyObject): AnyObject =>
  withValueAt(object, pathsOf(served).spec, (scale as Scale).spec?.replicas ?? 0)

async function write(scope: Scope, make: (current: AnyObject) => Scale): Promise<ApiResponse> {
  const { served } = scope
  const change = (entry: Entry | undefined) => {
    if (entry === undefined) throw notFoundError(served.info, scope.name)
    const object = fromStored(served, entry.value)
    const next = make(scaleOf(served, object))
    return { incoming: scaled(scope, object, next) }
  }
  const way = { ...mainWay(served), subresource: 'scale' }
  const { value } = await updateObject(scope, { way, change })
  return answerOf(scope, await shown(served, value))
}

function scaled(scope: Scope, object: AnyObject, next: Scale): AnyObject {
  const replicas = next.spec?.replicas ?? 0
  if (replicas < 0)
    throw invalidError({ group: 'autoscaling', kind: 'Scale' }, scope.name, [
      invalid('spec.replicas', replicas, 'must be greater than or equal to 0'),
    ])
  const { resourceVersion, uid } = next.metadata
  const changed = withValueAt(object, pathsOf(scope.served).spec, replicas)
  const { resourceVersion: _resourceVersion, ...meta } = changed.metadata
  return withMetadata(
    { ...changed, metadata: meta },
    {
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(uid === undefined || uid === '' ? {} : { uid }),
    },
  )
}
