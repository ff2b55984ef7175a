// Whether a device is one of those that selectors in CEL ask for. Answers are kept by device: many claims ask the same.

import {
  CelQuantity,
  CelSemver,
  compileCel,
  type Device,
  type DeviceAttribute,
  type DeviceSelector,
  storedDeviceEnvironment,
} from '#kinds'
import type { PooledDevice } from './pools.ts'

type Answers = Map<string, boolean | Error>

const known = new WeakMap<Device, Answers>()

/** Throws where the expression cannot be evaluated for the device. */
export function isSelected(
  device: PooledDevice,
  selectors: readonly DeviceSelector[] | undefined,
  of: string,
): boolean {
  if (selectors === undefined) return true
  return selectors.every(({ cel }, i) => {
    const answer = cel === undefined ? true : answerFor(device, cel.expression)
    if (!(answer instanceof Error)) return answer
    throw new Error(`${of}: selector #${i}: CEL runtime error: ${answer.message}`)
  })
}

function answerFor(pooled: PooledDevice, expression: string): boolean | Error {
  const answers: Answers = known.get(pooled.device) ?? new Map()
  known.set(pooled.device, answers)
  const found = answers.get(expression)
  if (found !== undefined) return found
  const answer = evaluate(pooled, expression)
  answers.set(expression, answer)
  return answer
}

function evaluate(pooled: PooledDevice, expression: string): boolean | Error {
  const compiled = compileCel(expression, storedDeviceEnvironment)
  if (!compiled.ok) return new Error(`compilation failed: ${compiled.faults}`)
  try {
    return compiled.program.evaluate({ device: deviceToCel(pooled) }) === true
  } catch (error) {
    return error as Error
  }
}

function deviceToCel({ driver, device }: PooledDevice): object {
  return {
    driver,
    attributes: byDomain(driver, device.attributes ?? {}, attributeToCel),
    capacity: byDomain(driver, device.capacity ?? {}, ({ value }) => new CelQuantity(String(value))),
  }
}

/** Names without a domain are the driver's. */
export function qualified(driver: string, name: string): readonly [domain: string, id: string] {
  const slash = name.indexOf('/')
  return slash === -1 ? [driver, name] : [name.slice(0, slash), name.slice(slash + 1)]
}

/** What a domain has; one that is not known has nothing. */
class Domains extends Map<string, Map<string, unknown>> {
  override get(domain: string): Map<string, unknown> {
    return super.get(domain) ?? new Map()
  }
}

function byDomain<T>(driver: string, values: Readonly<Record<string, T>>, toCel: (value: T) => unknown): object {
  const domains = new Domains()
  for (const [name, value] of Object.entries(values)) {
    const [domain, id] = qualified(driver, name)
    const known = domains.get(domain)
    if (!known.has(id)) domains.set(domain, known.set(id, toCel(value)))
  }
  return domains
}

function attributeToCel({ bool, int, string, version }: DeviceAttribute): unknown {
  if (bool !== undefined) return bool
  if (int !== undefined) return BigInt(int)
  return version === undefined ? (string ?? '') : new CelSemver(version)
}
