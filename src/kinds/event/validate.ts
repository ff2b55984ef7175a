// Faults of Events. Those that came through events.k8s.io must say more than those of the core group, as
// pkg/apis/core/validation/events.go has it. Both are checked in the form of the core group.

import { isEqual } from '#objects'
import { type FieldError, invalid, required } from '../field-error.ts'
import type { CoreV1Event } from '../generated/types.ts'
import { asGoStruct, type GoStruct, goStruct } from '../go-struct.ts'
import { immutableText, qualifiedName } from '../metadata/formats.ts'

const maxFieldLength = 128
const maxNoteLength = 1024

const mismatch = (namespace: string): FieldError =>
  invalid('involvedObject.namespace', namespace, 'does not match event.namespace')

/** What both groups ask; an event with a time is a new one, and must say who did what. */
function checkEvent(event: CoreV1Event, controllerField: string, errors: FieldError[]): void {
  const involved = event.involvedObject.namespace ?? ''
  const own = event.metadata.namespace ?? ''
  if (event.eventTime == null) {
    if (involved === '' ? own !== '' && own !== 'default' : own !== involved) errors.push(mismatch(involved))
    return
  }
  if (involved === '' && own !== 'default' && own !== 'kube-system') errors.push(mismatch(involved))
  const controller = event.reportingComponent ?? ''
  if (controller === '') errors.push(required(controllerField))
  for (const text of qualifiedName(controller)) errors.push(invalid(controllerField, controller, text))
  checkLength(event.reportingInstance ?? '', 'reportingInstance', errors)
  checkLength(event.action ?? '', 'action', errors)
  checkLength(event.reason ?? '', 'reason', errors)
  if ((event.message ?? '').length > maxNoteLength)
    errors.push(invalid('message', '', `can have at most ${maxNoteLength} characters`))
}

export function validateCoreEvent(event: CoreV1Event): readonly FieldError[] {
  const errors: FieldError[] = []
  checkEvent(event, 'reportingComponent', errors)
  return errors
}

export function validateEventsV1(event: CoreV1Event): readonly FieldError[] {
  const errors: FieldError[] = []
  checkEvent(event, 'reportingController', errors)
  checkSeries(event, errors)
  if (event.eventTime == null) errors.push(required('eventTime'))
  const type = event.type ?? ''
  if (type !== 'Normal' && type !== 'Warning') errors.push(invalid('type', type, `has invalid value: ${type}`))
  for (const [field, shown] of deprecated) {
    const value = event[field]
    if (value != null) errors.push(invalid(shown, value, 'needs to be unset'))
  }
  if (event.count) errors.push(invalid('deprecatedCount', event.count, 'needs to be unset'))
  const { component = '', host = '' } = event.source ?? {}
  if (component !== '' || host !== '')
    errors.push(invalid('deprecatedSource', { Component: component, Host: host }, 'needs to be unset'))
  return errors
}

const deprecated = [
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
] as const

function checkSeries({ series }: CoreV1Event, errors: FieldError[]): void {
  if (series === undefined) return
  if ((series.count ?? 0) < 2) errors.push(invalid('series.count', series.count ?? 0, 'should be at least 2'))
  if (series.lastObservedTime == null) errors.push(required('series.lastObservedTime'))
}

function checkLength(value: string, field: string, errors: FieldError[]): void {
  if (value === '') errors.push(required(field))
  if (value.length > maxFieldLength) errors.push(invalid(field, '', `can have at most ${maxFieldLength} characters`))
}

const internalReference = goStruct(
  'Kind="" Namespace="" Name="" UID:uid="" APIVersion:apiVersion="" ResourceVersion="" FieldPath=""',
)
const internalSource = goStruct('Component="" Host=""')

/** In Kubernetes' order, which has the reason twice, with what is printed of them when they are absent. */
const immutable: readonly (readonly [field: keyof CoreV1Event, absent: unknown, struct?: GoStruct])[] = [
  ['involvedObject', {}, internalReference],
  ['reason', ''],
  ['message', ''],
  ['source', {}, internalSource],
  ['firstTimestamp', null],
  ['lastTimestamp', null],
  ['count', 0],
  ['reason', ''],
  ['type', ''],
  ['eventTime', null],
  ['action', ''],
  ['related', null, internalReference],
  ['reportingComponent', ''],
  ['reportingInstance', ''],
]

const shownAs: Readonly<Record<string, string>> = { reportingComponent: 'reportingController' }

/** Through events.k8s.io only the series of an event changes. */
export function validateEventsV1Update(event: CoreV1Event, old: CoreV1Event): readonly FieldError[] {
  const errors: FieldError[] = []
  checkEvent(event, 'reportingController', errors)
  if (!isEqual(event.series, old.series)) checkSeries(event, errors)
  for (const [field, absent, struct] of immutable) {
    const [now, before] = [event[field] ?? absent, old[field] ?? absent]
    if (isEqual(now, before)) continue
    const shown = struct !== undefined && now !== null ? asGoStruct(struct, now as object) : now
    errors.push(invalid(shownAs[field] ?? field, shown, immutableText))
  }
  return errors
}
