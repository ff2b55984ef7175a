// Faults of a ResourceSlice (pkg/apis/resource/validation): where its devices are, whose they are, and what each one has.

import { isEqual } from '#objects'
import { checkDriverName } from '../csidriver/index.ts'
import { internalTerm } from '../device/internal.ts'
import { checkLabel, checkPoolName, checkQualifiedName, type Place, shownKey } from '../device/names.ts'
import { checkSet } from '../device/set.ts'
import { type FieldError, invalid, required, tooLong } from '../field-error.ts'
import type { Device, DeviceAttribute, ResourceSlice, ResourceSliceSpec } from '../generated/types.ts'
import { asGoStruct, goStruct } from '../go-struct.ts'
import { byteLength, dnsSubdomain, immutableText } from '../metadata/formats.ts'
import { checkNodeSelector } from '../podspec/affinity.ts'

const maxDevices = 128
const maxProperties = 32
const maxValueBytes = 64

export function validateSlice({ spec }: ResourceSlice, old?: ResourceSlice): readonly FieldError[] {
  const errors: FieldError[] = []
  checkDriverName(spec.driver ?? '', 'spec.driver', errors)
  checkPool(spec, errors)
  if (old !== undefined) checkUnchanged(spec, old.spec, errors)
  checkPlaces(spec, errors)
  checkSet(
    spec.devices ?? [],
    { path: 'spec.devices', max: maxDevices, key: ({ name }) => name, field: 'name', errors },
    (device, path) => checkDevice(device, { path, errors }),
  )
  return errors
}

function checkPool({ pool }: ResourceSliceSpec, errors: FieldError[]): void {
  const { name, resourceSliceCount = 0, generation = 0 } = pool ?? {}
  checkPoolName(name, { path: 'spec.pool.name', errors })
  if (resourceSliceCount <= 0)
    errors.push(invalid('spec.pool.resourceSliceCount', resourceSliceCount, 'must be greater than zero'))
  if (generation < 0) errors.push(invalid('spec.pool.generation', generation, 'must be greater than or equal to zero'))
}

function checkUnchanged(spec: ResourceSliceSpec, old: ResourceSliceSpec, errors: FieldError[]): void {
  const check = (path: string, now: string | undefined, before: string | undefined): void => {
    if (!isEqual(now, before)) errors.push(invalid(`spec.${path}`, now ?? null, immutableText))
  }
  check('pool.name', spec.pool?.name, old.pool?.name)
  check('driver', spec.driver, old.driver)
  check('nodeName', spec.nodeName, old.nodeName)
}

const placesText = 'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required'

function checkPlaces({ nodeName, nodeSelector, allNodes }: ResourceSliceSpec, errors: FieldError[]): void {
  const said: string[] = []
  if (nodeName === '')
    errors.push(invalid('spec.nodeName', nodeName, 'must be either unset or set to a non-empty string'))
  else if (nodeName !== undefined) {
    said.push('`nodeName`')
    for (const fault of dnsSubdomain(nodeName)) errors.push(invalid('spec.nodeName', nodeName, fault))
  }
  if (nodeSelector !== undefined) {
    said.push('`nodeSelector`')
    checkNodeSelector(nodeSelector, 'spec.nodeSelector', errors)
    const terms = nodeSelector.nodeSelectorTerms ?? []
    if (terms.length !== 1)
      errors.push(
        invalid(
          'spec.nodeSelector.nodeSelectorTerms',
          terms.map((term) => asGoStruct(internalTerm, term)),
          'must have exactly one node selector term',
        ),
      )
  }
  if (allNodes === true) said.push('`allNodes`')
  else if (allNodes === false) errors.push(invalid('spec.allNodes', false, 'must be either unset or set to true'))
  if (said.length === 0) errors.push(required('spec', placesText))
  if (said.length > 1)
    errors.push(invalid('spec', `{${said.join(', ')}}`, `${placesText}, but multiple fields are set`))
}

function checkDevice({ name, attributes = {}, capacity = {} }: Device, { path, errors }: Place): void {
  checkLabel(name, { path: `${path}.name`, errors })
  const count = Object.keys(attributes).length + Object.keys(capacity).length
  if (count > maxProperties)
    errors.push(invalid(path, count, `the total number of attributes and capacities must not exceed ${maxProperties}`))
  for (const [key, attribute] of Object.entries(attributes)) {
    const at = { path: `${path}.attributes[${shownKey(key)}]`, errors }
    checkQualifiedName(key, at)
    checkAttribute(attribute, at)
  }
  for (const key of Object.keys(capacity))
    checkQualifiedName(key, { path: `${path}.capacity[${shownKey(key)}]`, errors })
}

const internalAttribute = goStruct('IntValue:int BoolValue:bool StringValue:string VersionValue:version')
const oneValueText = 'exactly one value must be specified'

function checkAttribute(attribute: DeviceAttribute, { path, errors }: Place): void {
  const { bool, int, string, version } = attribute
  if (string !== undefined) checkLength(string, { path: `${path}.string`, errors })
  if (version !== undefined) {
    if (!isSemanticVersion(version))
      errors.push(invalid(`${path}.version`, version, 'must be a string compatible with semver.org spec 2.0.0'))
    checkLength(version, { path: `${path}.version`, errors })
  }
  const values = [bool, int, string, version].filter((value) => value !== undefined).length
  if (values === 0) errors.push(required(path, oneValueText))
  else if (values > 1) errors.push(invalid(path, asGoStruct(internalAttribute, attribute), oneValueText))
}

function checkLength(value: string, { path, errors }: Place): void {
  if (byteLength(value) > maxValueBytes) errors.push(tooLong(path, maxValueBytes))
}

const isNumeric = (part: string): boolean => /^(0|[1-9][0-9]*)$/.test(part)
const isWord = (part: string): boolean => /^[0-9A-Za-z-]+$/.test(part)

/** Taken apart first: one expression over the whole text would try its parts in too many ways. */
function isSemanticVersion(text: string): boolean {
  const plus = text.indexOf('+')
  const [rest, build] = plus < 0 ? [text, undefined] : [text.slice(0, plus), text.slice(plus + 1)]
  const dash = rest.indexOf('-')
  const [core, early] = dash < 0 ? [rest, undefined] : [rest.slice(0, dash), rest.slice(dash + 1)]
  const numbers = core.split('.')
  if (numbers.length !== 3 || !numbers.every(isNumeric)) return false
  if (build !== undefined && !build.split('.').every(isWord)) return false
  return early === undefined || early.split('.').every((part) => isWord(part) && (isNumeric(part) || /\D/.test(part)))
}
