// Events of both groups are one kind of object, kept as core/v1 (registry/core/event and apis/events/v1/conversion.go).

import type { AnyObject } from '#objects'

type Fields = Readonly<Record<string, unknown>>

const present = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

export function convertEventToEventsV1(event: AnyObject): AnyObject {
  const {
    involvedObject,
    message,
    source,
    firstTimestamp,
    lastTimestamp,
    count,
    reportingComponent,
    reportingInstance,
    ...rest
  } = event
  return {
    ...rest,
    apiVersion: 'events.k8s.io/v1',
    ...present({
      regarding: involvedObject,
      note: message,
      deprecatedSource: source,
      deprecatedFirstTimestamp: firstTimestamp,
      deprecatedLastTimestamp: lastTimestamp,
      deprecatedCount: count,
      reportingController: emptyAsAbsent(reportingComponent),
      reportingInstance: emptyAsAbsent(reportingInstance),
    }),
  } as AnyObject
}

const emptyAsAbsent = (value: unknown): unknown => (value === '' ? undefined : value)

export function convertEventToCore(event: AnyObject): AnyObject {
  const {
    regarding,
    note,
    deprecatedSource,
    deprecatedFirstTimestamp,
    deprecatedLastTimestamp,
    deprecatedCount,
    reportingController,
    reportingInstance,
    ...rest
  } = event
  return {
    ...rest,
    apiVersion: 'v1',
    ...present({
      involvedObject: regarding ?? {},
      message: note,
      source: deprecatedSource ?? {},
      firstTimestamp: deprecatedFirstTimestamp ?? null,
      lastTimestamp: deprecatedLastTimestamp ?? null,
      count: deprecatedCount,
      reportingComponent: reportingController ?? '',
      reportingInstance: reportingInstance ?? '',
    }),
  } as AnyObject
}
