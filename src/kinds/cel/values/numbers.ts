// Whole numbers of CEL: 64 bits, with and without a sign. Ints are bigints; a uint is a value of its own.

export const minInt = -(2n ** 63n)
export const maxInt = 2n ** 63n - 1n
export const maxUint = 2n ** 64n - 1n

export class CelUint {
  readonly value: bigint
  constructor(value: bigint) {
    this.value = value
  }

  toString(): string {
    return String(this.value)
  }
}
