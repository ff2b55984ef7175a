import { describe, expect, it } from 'vitest'
import type { FieldError } from '../field-error.ts'
import type { DeviceClaim } from '../generated/types.ts'
import { checkClaim, claimDefaults } from './requests.ts'

function faults(claim: object): readonly string[] {
  const errors: FieldError[] = []
  checkClaim(claimDefaults(claim as DeviceClaim), 'devices', errors)
  return errors.map(({ field, message }) => `${field}: ${message}`)
}

const one = { name: 'a', exactly: { deviceClassName: 'gpu' } }

describe('a claim of devices', () => {
  it('asks for one device unless it says how many', () => {
    expect(claimDefaults({ requests: [one] })).toEqual({
      requests: [{ name: 'a', exactly: { deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 1 } }],
    })
    const all = { name: 'b', exactly: { deviceClassName: 'gpu', allocationMode: 'All' } }
    expect(claimDefaults({ requests: [all] })).toEqual({ requests: [all] })
  })

  it.each<[string, object, string]>([
    [
      'a request of nothing',
      { requests: [{ name: 'a' }] },
      'devices.requests[0]: Required value: exactly one of `exactly` or `firstAvailable` is required',
    ],
    ['two requests of one name', { requests: [one, one] }, 'devices.requests[1].name: Duplicate value: "a"'],
    [
      'no class',
      { requests: [{ name: 'a', exactly: {} }] },
      'devices.requests[0].exactly.deviceClassName: Required value',
    ],
    [
      'all of five',
      { requests: [{ name: 'a', exactly: { deviceClassName: 'gpu', allocationMode: 'All', count: 5 } }] },
      "devices.requests[0].exactly.count: Invalid value: 5: must not be specified when allocationMode is 'All'",
    ],
    [
      'another mode',
      { requests: [{ name: 'a', exactly: { deviceClassName: 'gpu', allocationMode: 'Some' } }] },
      'devices.requests[0].exactly.allocationMode: Unsupported value: "Some": supported values: "All", "ExactCount"',
    ],
    [
      'a constraint on nobody',
      { requests: [one], constraints: [{ requests: ['b'], matchAttribute: 'x.io/y' }] },
      'devices.constraints[0].requests[0]: Invalid value: "b": must be the name of a request in the claim or the name of a request and a subrequest separated by \'/\'',
    ],
    [
      'an attribute of no domain',
      { requests: [one], constraints: [{ matchAttribute: 'y' }] },
      'devices.constraints[0].matchAttribute: Invalid value: "y": must include a domain',
    ],
    [
      'an attribute with an odd name',
      { requests: [one], constraints: [{ matchAttribute: 'x.io/1y' }] },
      "devices.constraints[0].matchAttribute: Invalid value: \"1y\": a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')",
    ],
    [
      'an attribute of an empty domain',
      { requests: [one], constraints: [{ matchAttribute: '/y' }] },
      'devices.constraints[0].matchAttribute: Required value: the domain must not be empty',
    ],
    [
      'parameters that are no object',
      { requests: [one], config: [{ opaque: { driver: 'x.io', parameters: [1] } }] },
      'devices.config[0].opaque.parameters: Invalid value: "<value omitted>": parameters must be a valid JSON object',
    ],
    [
      'a selector that selects nothing',
      { requests: [{ name: 'a', exactly: { deviceClassName: 'gpu', selectors: [{ cel: { expression: '"a"' } }] } }] },
      'devices.requests[0].exactly.selectors[0].cel.expression: Invalid value: "\\"a\\"": must evaluate to bool or the unknown type, not string',
    ],
    ['an empty configuration', { requests: [one], config: [{}] }, 'devices.config[0].opaque: Required value'],
  ])('may not have %s', (_, claim, expected) => {
    expect(faults(claim)).toContain(expected)
  })
})
