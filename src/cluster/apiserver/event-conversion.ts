// Events of both groups are one kind of object, kept as core/v1 (registry/core/event and apis/events/v1/conversion.go).
// Fields only change their names, so both ways are one pass over the object.

import type { AnyObject } from '#objects'

type Names = ReadonlyMap<string, string>

const toEventsV1: Names = new Map([
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['reportingComponent', 'reportingController'],
])

const toCore: Names = new Map([...toEventsV1].map(([core, events]) => [events, core]))

/** Strings that core/v1 always shows and events/v1 leaves out when they are empty. */
const shownWhenEmpty = ['reportingComponent', 'reportingInstance']

function renamed(event: AnyObject, names: Names): Record<string, unknown> {
  const out: Record<string, unknown> = {}
  for (const field in event) out[names.get(field) ?? field] = event[field]
  return out
}

export function convertEventToEventsV1(event: AnyObject): AnyObject {
  const out = renamed(event, toEventsV1)
  out['apiVersion'] = 'events.k8s.io/v1'
  if (out['reportingController'] === '') delete out['reportingController']
  if (out['reportingInstance'] === '') delete out['reportingInstance']
  return out as unknown as AnyObject
}

export function convertEventToCore(event: AnyObject): AnyObject {
  const out = renamed(event, toCore)
  out['apiVersion'] = 'v1'
  out['involvedObject'] ??= {}
  out['source'] ??= {}
  out['firstTimestamp'] ??= null
  out['lastTimestamp'] ??= null
  for (const field of shownWhenEmpty) out[field] ??= ''
  return out as unknown as AnyObject
}
