// Faults of PriorityLevelConfigurations (apis/flowcontrol/validation).

import { type FieldError, forbidden, invalid, notSupported, required } from '../field-error.ts'
import type {
  LimitedPriorityLevelConfiguration,
  LimitResponse,
  PriorityLevelConfiguration,
  QueuingConfiguration,
} from '../generated/types.ts'
import { rangeText } from '../metadata/formats.ts'

const levelTypes = ['Exempt', 'Limited']
const responseTypes = ['Queue', 'Reject']
const maxQueues = 10_000_000

const maxHashBits = 60

/** How many bits of a hash it takes to deal a hand of queues. */
const entropyBits = (queues: number, handSize: number): number => Math.ceil(Math.log2(queues) * handSize)

interface Place {
  readonly path: string
  readonly errors: FieldError[]
}

export function validatePriorityLevel({ metadata, spec }: PriorityLevelConfiguration): readonly FieldError[] {
  const errors: FieldError[] = []
  const { type = '', limited, exempt } = spec
  if ((metadata.name === 'exempt') !== (type === 'Exempt'))
    errors.push(invalid('spec.type', type, "must be 'Exempt' if and only if `name` is 'exempt'"))
  if (!levelTypes.includes(type)) errors.push(notSupported('spec.type', type, levelTypes))
  if (type === 'Exempt') {
    if (limited !== undefined) errors.push(forbidden('spec.limited', 'must be nil if the type is not Limited'))
    if (exempt !== undefined) checkShares(exempt, { path: 'spec.exempt', errors })
  } else if (type === 'Limited') {
    if (exempt !== undefined) errors.push(forbidden('spec.exempt', 'must be nil if the type is Limited'))
    if (limited === undefined) errors.push(required('spec.limited', 'must not be empty when type is Limited'))
    else checkLimited(limited, { path: 'spec.limited', errors })
  }
  return errors
}

type Shares = Pick<LimitedPriorityLevelConfiguration, 'nominalConcurrencyShares' | 'lendablePercent'>

function checkShares({ nominalConcurrencyShares: shares, lendablePercent }: Shares, { path, errors }: Place): void {
  if (shares !== undefined && shares < 0)
    errors.push(invalid(`${path}.nominalConcurrencyShares`, shares, 'must be a non-negative integer'))
  checkLendable(lendablePercent, { path, errors })
}

function checkLendable(percent: number | undefined, { path, errors }: Place): void {
  if (percent !== undefined && (percent < 0 || percent > 100))
    errors.push(invalid(`${path}.lendablePercent`, percent, rangeText(0, 100)))
}

function checkLimited(limited: LimitedPriorityLevelConfiguration, { path, errors }: Place): void {
  const { nominalConcurrencyShares: shares = 0, limitResponse, lendablePercent, borrowingLimitPercent } = limited
  if (shares < 0) errors.push(invalid(`${path}.nominalConcurrencyShares`, shares, 'must be a non-negative integer'))
  checkResponse(limitResponse ?? { type: '' }, { path: `${path}.limitResponse`, errors })
  checkLendable(lendablePercent, { path, errors })
  if (borrowingLimitPercent !== undefined && borrowingLimitPercent < 0)
    errors.push(
      invalid(`${path}.borrowingLimitPercent`, borrowingLimitPercent, 'if specified, must be a non-negative integer'),
    )
}

function checkResponse({ type = '', queuing }: LimitResponse, { path, errors }: Place): void {
  if (!responseTypes.includes(type)) errors.push(notSupported(`${path}.type`, type, responseTypes))
  const at = `${path}.queuing`
  if (type === 'Reject' && queuing !== undefined)
    errors.push(forbidden(at, 'must be nil if limited.limitResponse.type is not Limited'))
  if (type !== 'Queue') return
  if (queuing === undefined) errors.push(required(at, 'must not be empty if limited.limitResponse.type is Limited'))
  else checkQueuing(queuing, { path: at, errors })
}

function checkQueuing(queuing: QueuingConfiguration, { path, errors }: Place): void {
  const { queueLengthLimit = 0, queues = 0, handSize = 0 } = queuing
  const positive = (field: string, value: number): void => {
    if (value <= 0) errors.push(invalid(`${path}.${field}`, value, 'must be positive'))
  }
  positive('queueLengthLimit', queueLengthLimit)
  positive('queues', queues)
  if (queues > maxQueues) errors.push(invalid(`${path}.queues`, queues, `must not be greater than ${maxQueues}`))
  positive('handSize', handSize)
  if (handSize <= 0) return
  const hand = (text: string): unknown => errors.push(invalid(`${path}.handSize`, handSize, text))
  if (handSize > queues) hand(`should not be greater than queues (${queues})`)
  else if (entropyBits(queues, handSize) > maxHashBits)
    hand(
      `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${maxHashBits}`,
    )
}
