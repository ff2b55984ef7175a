// Faults of Events. Those that came through events.k8s.io must say more than those of the core group, as
// pkg/apis/core/validation/events.go has it. Both are checked in the form of the core group.

import { isEqual } from '#objects'
import { type FieldError, invalid, required } from '../field-error.ts'
import type { CoreV1Event } from '../generated/types.ts'
import { asGoStruct, type GoStruct, goStruct } from '../go-struct.ts'
import { byteLength, dnsSubdomain, immutableText, qualifiedName } from '../metadata/formats.ts'

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
  } else checkNewEvent(event, controllerField, errors)
  for (const text of dnsSubdomain(own)) errors.push(invalid('namespace', own, text))
}

function checkNewEvent(event: CoreV1Event, controllerField: string, errors: FieldError[]): void {
  const involved = event.involvedObject.namespace ?? ''
  const own = event.metadata.namespace ?? ''
  if (involved === '' && own !== 'default' && own !== 'kube-system') errors.push(mismatch(involved))
  const controller = event.reportingComponent ?? ''
  if (controller === '') errors.push(required(controllerField))
  for (const text of qualifiedName(controller)) errors.push(invalid(controllerField, controller, text))
  checkLength(event.reportingInstance ?? '', 'reportingInstance', errors)
  checkLength(event.action ?? '', 'action', errors)
  checkLength(event.reason ?? '', 'reason', errors)
  if (byteLength(event.message ?? '') > maxNoteLength)
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
  if (type !== 'Normal' && type !== 'Warning') errors.push(invalid('type', '', `has invalid value: ${type}`))
  const unset = (field: string, isSet: boolean): void => {
    if (isSet) errors.push(invalid(field, '', 'needs to be unset'))
  }
  unset('firstTimestamp', event.firstTimestamp != null)
  unset('lastTimestamp', event.lastTimestamp != null)
  unset('count', (event.count ?? 0) !== 0)
  const { component = '', host = '' } = event.source ?? {}
  unset('source', component !== '' || host !== '')
  return errors
}

function checkSeries({ series }: CoreV1Event, errors: FieldError[]): void {
  if (series === undefined) return
  if ((series.count ?? 0) < 2) errors.push(invalid('series.count', '', 'should be at least 2'))
  if (series.lastObservedTime == null) errors.push(required('series.lastObservedTime'))
}

function checkLength(value: string, field: string, errors: FieldError[]): void {
  if (value === '') errors.push(required(field))
  if (byteLength(value) > maxFieldLength)
    errors.push(invalid(field, '', `can have at most ${maxFieldLength} characters`))
}

const internalReference = goStruct(
  'Kind="" Namespace="" Name="" UID:uid="" APIVersion:apiVersion="" ResourceVersion="" FieldPath=""',
)

interface Immutable {
  readonly field: keyof CoreV1Event
  readonly shown?: string
  readonly type?: GoStruct
  /** What is printed of it when it is absent; default: an empty text. */
  readonly absent?: unknown
}

/** In the order in which Kubernetes compares them; the reason twice. */
const immutable: readonly Immutable[] = [
  { field: 'involvedObject', type: internalReference, absent: {} },
  { field: 'reason' },
  { field: 'message' },
  { field: 'source', type: goStruct('Component="" Host=""'), absent: {} },
  { field: 'firstTimestamp', absent: null },
  { field: 'lastTimestamp', absent: null },
  { field: 'count', absent: 0 },
  { field: 'reason' },
  { field: 'type' },
  { field: 'eventTime', absent: null },
  { field: 'action' },
  { field: 'related', type: internalReference, absent: null },
  { field: 'reportingComponent', shown: 'reportingController' },
  { field: 'reportingInstance' },
]

/** Through events.k8s.io only the series of an event changes. */
export function validateEventsV1Update(event: CoreV1Event, old: CoreV1Event): readonly FieldError[] {
  const errors: FieldError[] = []
  checkEvent(event, 'reportingController', errors)
  if (!isEqual(event.series, old.series)) checkSeries(event, errors)
  for (const { field, shown = field, type, absent = '' } of immutable) {
    const value = event[field] ?? absent
    if (isEqual(value, old[field] ?? absent)) continue
    const isStruct = type !== undefined && typeof value === 'object' && value !== null
    errors.push(invalid(shown, isStruct ? asGoStruct(type, value) : value, immutableText))
  }
  return errors
}
